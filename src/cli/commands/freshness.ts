import { Command } from "commander";
import type { ReadFreshnessReply } from "../../services/read-freshness.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

export function freshnessCommand(io: Io): Command {
  return withTenant(
    new Command("freshness")
      .description("show when a person's conversations ended, were processed, and were served")
      .argument("<subject>", "the application's own id of the person"),
  ).action(async (subject: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "operator", io }, (client) =>
      client.call<ReadFreshnessReply>("GET", path`/v1/subjects/${subject}/freshness`),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else show(reply, io);
  });
}

function show(reply: ReadFreshnessReply, io: Io): void {
  const { sessions, consolidated_at, state, served_at, pending } = reply;
  const under = state === null ? "" : ` (${state})`;
  io.out(`model made: ${consolidated_at ?? "never"}${under}, served: ${served_at ?? "never"}`);
  io.out(`pending: sessions ${pending.sessions}, observations ${pending.observations}`);
  const rows = sessions.map((one) => [
    one.session,
    one.ended_at ?? "open",
    one.processed_at ?? "not yet",
    one.state ?? "",
  ]);
  if (rows.length > 0) io.out(table(["session", "ended", "observed", "job"], rows));
}
