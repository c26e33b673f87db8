import { Command } from "commander";
import { MunimentError } from "../../domain/errors.js";
import type { ListPromotionsReply, PromotionReply } from "../../services/list-promotions.js";
import type { WrittenReply } from "../../services/value-writing.js";
import { advised } from "../advice.js";
import { idByEnd } from "../by-end.js";
import { type Client, path, query } from "../client.js";
import { commandLine } from "../command-line.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { everyPage } from "../pages.js";
import { withClient } from "../service.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

interface LogOptions extends TenantOptions {
  readonly field?: string;
}

interface RevertOptions extends TenantOptions {
  readonly as: string;
}

const LOG_MORE = `
It names no values: muniment field values shows which stand now. Their hashes
are in --json.`;

const REVERT_MORE = `
It takes back the decision whose value stands now: what stood before it stands
again, or nothing does. That is a decision of its own, with its own line in the
log. With a development token it is yours alone by --as: in a deployment people
decide with their own credentials.`;

export function fieldLogCommand(io: Io): Command {
  return withTenant(
    new Command("log")
      .description("show who decided on a subject's values, newest first")
      .argument("<subject>", "whose values")
      .option("--field <id>", "decisions on one field alone"),
  )
    .addHelpText("after", LOG_MORE)
    .action((subject: string, options: LogOptions) => showLog(subject, options, io));
}

export function fieldRevertCommand(io: Io): Command {
  return withTenant(
    new Command("revert")
      .description("take a decision on a subject's values back")
      .argument("<subject>", "whose value")
      .argument("<promotion>", "id of the decision, as the log shows it")
      .requiredOption("--as <name>", "who you are"),
  )
    .addHelpText("after", REVERT_MORE)
    .action((subject: string, promotion: string, options: RevertOptions) =>
      revert(subject, promotion, options, io),
    );
}

async function showLog(subject: string, options: LogOptions, io: Io): Promise<void> {
  const promotions = await withClient({ options, role: "operator", io }, (client) =>
    readLog(client, subject, options),
  );
  if (options.json) {
    for (const promotion of promotions) io.out(JSON.stringify(promotion));
    return;
  }
  if (promotions.length === 0) io.err("nothing was decided yet");
  else io.out(table(["promotion", "wrote", "decided by", "rule", "at"], promotions.map(rowOf)));
}

function readLog(client: Client, subject: string, options: LogOptions) {
  const at = `${path`/v1/subjects/${subject}/promotions`}${query({ field_id: options.field })}`;
  return orMissing(
    everyPage(client, at, (page: ListPromotionsReply) => page.promotions),
    noSubject(subject, options),
  );
}

function rowOf(one: PromotionReply): readonly string[] {
  const { promotion_id, field_id, version, actor, rule, reverts, recorded_at } = one;
  return [
    shortId(promotion_id),
    `${field_id} v${version}`,
    actor === null ? "an actor that can't be shown" : shortId(actor),
    reverts === null ? rule : `${rule} of ${shortId(reverts)}`,
    timeOf(recorded_at),
  ];
}

async function revert(
  subject: string,
  promotion: string,
  options: RevertOptions,
  io: Io,
): Promise<void> {
  const role = { reviewer: options.as };
  const log = commandLine(["field", "log", subject], options);
  const reply = await withClient({ options, role, io }, async (client) => {
    const decisions = await readLog(client, subject, options);
    const id = await idByEnd(promotion, async () => decisions.map((one) => one.promotion_id));
    if (!decisions.some((one) => one.promotion_id === id)) throw noPromotion(subject, log);
    const asked = client.call<WrittenReply>("POST", path`/v1/promotions/${id}/revert`, {});
    return advised(asked, "version_conflict", `see which decision stands: ${log}`);
  });
  if (options.json) io.out(JSON.stringify(reply));
  else io.out(`${reply.field_id} is as before, by promotion ${shortId(reply.promotion_id)}`);
}

/** The id may be of somebody else's decision: that one isn't meant. */
function noPromotion(subject: string, log: string): MunimentError {
  return new MunimentError("not_found", `subject ${subject} has no such promotion`, {
    nextStep: `see which there are: ${log}`,
  });
}
