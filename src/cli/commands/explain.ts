import { Command } from "commander";
import type { ExplainPackReply } from "../../services/explain-pack.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { noPack, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { lineSource } from "../source.js";
import { table } from "../table.js";

export function explainCommand(io: Io): Command {
  return withTenant(
    new Command("explain")
      .description("say for each line of a stored pack why it is in or out")
      .argument("<pack>", "id of the pack"),
  ).action(async (pack: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "app", io }, (client) =>
      orMissing(client.call<ExplainPackReply>("GET", path`/v1/packs/${pack}`), noPack(options)),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else show(reply, io);
  });
}

function show(reply: ExplainPackReply, io: Io): void {
  const { entries, tokens, tokens_max, valid, outdated, run_id } = reply;
  const rows = entries.map(({ kind, layer, source, tokens: own, reason }, index) => [
    String(index + 1),
    lineSource(kind, source),
    layer,
    own === null ? "" : String(own),
    reason,
  ]);
  io.out(table(["line", "source", "layer", "tokens", "why"], rows));
  io.err("line 1 is the first block of the pack, and so on; below them is what was left out");
  io.err(`run ${run_id}, ${tokens} of ${tokens_max} tokens`);
  if (!valid) io.err("it may no longer be used: assemble again");
  else if (outdated) io.err("it may be used; a new one would say more");
}
