import { readFileSync } from "node:fs";
import { Command } from "commander";
import { unreadableFile } from "../../config/unreadable-file.js";
import { ERASURE_BASES } from "../../domain/erasure.js";
import { MunimentError } from "../../domain/errors.js";
import type { EraseSubjectReply } from "../../services/erase-subject.js";
import type { ReadErasureReply } from "../../services/read-erasure.js";
import type { Receipt } from "../../services/receipts.js";
import type { VerifyErasureReply } from "../../services/verify-erasure.js";
import { path } from "../client.js";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { noErasure, noSubject, orMissing } from "../missing.js";
import { oneOf, type PlaceOptions, type TenantOptions, withPlace, withTenant } from "../options.js";
import { showReceipt, tellErasure } from "../receipt.js";
import { withClient } from "../service.js";
import { showStores } from "../stores.js";
import { timeOf } from "../time.js";
import { eraseScopeCommand } from "./erase-scope.js";

interface EraseOptions extends TenantOptions {
  readonly reason: string;
  readonly basis: string;
}

const MORE = `
\`muniment erase <subject>\` is \`muniment erase subject <subject>\`: spell it out
for a person whose id is the name of a command. Everything of the person goes,
in every workspace of the tenant, and doesn't come back: keep the receipt
(--json). Asked again, it goes on where it was broken off, or shows the
receipt that stands.`;

export function eraseCommand(io: Io): Command {
  return new Command("erase")
    .description("forget a person, follow an erasure, check its receipt")
    .addCommand(subjectCommand(io), { isDefault: true })
    .addCommand(eraseScopeCommand(io))
    .addCommand(statusCommand(io))
    .addCommand(verifyCommand(io));
}

function subjectCommand(io: Io): Command {
  return withTenant(
    new Command("subject")
      .description("forget a person, and show the receipt")
      .argument("<subject>", "whose memory")
      .addOption(oneOf("--reason <reason>", "why", ["erase", "policy"]).default("erase"))
      .addOption(
        oneOf("--basis <basis>", "what obliges to it", ERASURE_BASES).default(
          "data_subject_request",
        ),
      ),
  )
    .addHelpText("after", MORE)
    .action(async (subject: string, { reason, basis, ...options }: EraseOptions) => {
      const { decision: _, ...receipt } = await withClient(
        { options, role: "privacy_officer", io },
        (client) =>
          orMissing(
            client.call<EraseSubjectReply>("POST", path`/v1/subjects/${subject}/erasures`, {
              reason,
              basis,
            }),
            noSubject(subject, options),
          ),
      );
      tellErasure(receipt, options.json, io);
    });
}

function statusCommand(io: Io): Command {
  return withTenant(
    new Command("status")
      .description("show how far an erasure is")
      .argument("<erasure>", "id of the erasure"),
  ).action(async (erasure: string, options: TenantOptions) => {
    const { decision: _, ...status } = await withClient(
      { options, role: "privacy_officer", io },
      (client) =>
        orMissing(
          client.call<ReadErasureReply>("GET", path`/v1/erasures/${erasure}`),
          noErasure(options),
        ),
    );
    if (options.json) io.out(JSON.stringify(status));
    else io.out(`${status.erasure_id} ${status.state}, asked for ${timeOf(status.requested_at)}`);
    if (!options.json && status.receipt !== null) showReceipt(status.receipt, io);
  });
}

function verifyCommand(io: Io): Command {
  return withPlace(
    new Command("verify")
      .description("search again for what a receipt says is gone, and check its signature")
      .argument("<file>", "the receipt, as --json printed it")
      .option("--tenant <name>", "tenant that it is of, which the receipt says"),
  ).action(async (file: string, options: PlaceOptions & { readonly tenant?: string }) => {
    const receipt = readReceipt(file);
    refuseOtherTenant(receipt, options.tenant);
    const at = { ...options, tenant: receipt.tenant, workspace: "default" };
    const reply = await withClient({ options: at, role: "privacy_officer", io }, (client) =>
      orMissing(
        client.call<VerifyErasureReply>("POST", path`/v1/erasures/${receipt.erasure_id}/verify`, {
          receipt,
        }),
        noErasure(at),
      ),
    );
    const { ok, signature, stores } = reply;
    if (options.json) io.out(JSON.stringify({ ok, signature, stores }));
    else {
      showStores(stores, io);
      io.out(
        `${ok ? "nothing is left" : "NOT as the receipt says"}; its signature is ${signature}`,
      );
    }
    if (!ok) throw new Exit(EXIT.failed);
  });
}

function refuseOtherTenant({ tenant }: Receipt, asked: string | undefined): void {
  if (asked === undefined || asked === tenant) return;
  throw new MunimentError("invalid_input", `that receipt is of tenant ${tenant}`, {
    field: "--tenant",
    nextStep: "leave --tenant out: the receipt says it",
  });
}

function readReceipt(file: string): Receipt {
  const receipt = parsed(textOf(file));
  if (typeof receipt?.erasure_id === "string" && typeof receipt.tenant === "string") {
    const { decision: _, ...signed } = receipt;
    return signed as unknown as Receipt;
  }
  throw new MunimentError("invalid_input", `${file} isn't a receipt of an erasure`, {
    field: "file",
    nextStep: "name a file that holds what muniment erase --json printed",
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw unreadableFile(file, cause);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
