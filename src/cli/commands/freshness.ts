import { Command } from "commander";
import type { ReadFreshnessReply } from "../../services/read-freshness.js";
import { path } from "../client.js";
import { counted } from "../counted.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { chatsOf } from "../own-run.js";
import { withClient } from "../service.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

export function freshnessCommand(io: Io): Command {
  return withTenant(
    new Command("freshness")
      .description("show when a person's conversations ended, were processed, and were served")
      .argument("<subject>", "the application's own id of the person"),
  ).action(async (subject: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "operator", io }, (client) =>
      orMissing(
        client.call<ReadFreshnessReply>("GET", path`/v1/subjects/${subject}/freshness`),
        noSubject(subject, options),
      ),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else show(reply, io);
  });
}

function show(reply: ReadFreshnessReply, io: Io): void {
  const { sessions, consolidated_at, state, served_at, pending } = reply;
  const under = state === null ? "" : ` (${state})`;
  const when = (time: string | null, none: string) => (time === null ? none : timeOf(time));
  io.out(`model made: ${when(consolidated_at, "never")}${under}`);
  io.out(`served: ${when(served_at, "never")}`);
  io.out(`pending: ${pendingOf(pending)}`);
  const rows = chatsOf(sessions).map((one) => [
    one.session,
    when(one.ended_at, "open"),
    when(one.processed_at, "not yet"),
    one.state ?? "",
  ]);
  if (rows.length > 0) io.out(table(["session", "ended", "observed", "job"], rows));
}

/** What was said or observed, and isn't in what is derived yet. */
export function pendingOf({ sessions, observations }: ReadFreshnessReply["pending"]): string {
  return `${counted(sessions, "session")}, ${counted(observations, "observation")}`;
}
