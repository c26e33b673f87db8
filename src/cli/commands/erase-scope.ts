import { Argument, Command } from "commander";
import { ERASURE_BASES, ERASURE_REASONS, NARROW_SCOPES } from "../../domain/erasure.js";
import type { EraseScopeReply } from "../../services/erase-scope.js";
import type { EraseScopeBody } from "../../services/erasure-bodies.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { noTarget, orMissing } from "../missing.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { tellErasure } from "../receipt.js";
import { withClient } from "../service.js";

type EraseScopeOptions = TenantOptions & Pick<EraseScopeBody, "reason" | "basis" | "text">;

const MORE = `
The target is the application's own id of a session or source, the name of a
field, or the id of a run, turn or episode. What derives from it alone goes
too. The reason decides what may come again: see docs/concepts/forgetting.md.`;

export function eraseScopeCommand(io: Io): Command {
  return withTenant(
    new Command("scope")
      .description("forget one thing of a person who stays, and show the receipt")
      .argument("<subject>", "whose memory")
      .addArgument(new Argument("<scope>", "what kind of thing").choices(NARROW_SCOPES))
      .argument("<target>", "which one")
      .addOption(oneOf("--reason <reason>", "why", ERASURE_REASONS).default("erase"))
      .addOption(
        oneOf("--basis <basis>", "what obliges to it", ERASURE_BASES).default(
          "data_subject_request",
        ),
      )
      .option("--text <text>", "what stands instead of a turn or source that is corrected"),
  )
    .addHelpText("after", MORE)
    .action(
      async (
        subject: string,
        scope: string,
        target: string,
        { reason, basis, text, ...options }: EraseScopeOptions,
      ) => {
        const body = { target, reason, basis, ...(text === undefined ? {} : { text }) };
        const { decision: _, ...receipt } = await withClient(
          { options, role: "privacy_officer", io },
          (client) =>
            orMissing(
              client.call<EraseScopeReply>(
                "POST",
                path`/v1/subjects/${subject}/erasures/${scope}`,
                body,
              ),
              noTarget(subject, scope, options),
            ),
        );
        tellErasure(receipt, options.json, io);
      },
    );
}
