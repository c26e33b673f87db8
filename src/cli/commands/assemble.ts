import { Command } from "commander";
import { LIMITS } from "../../domain/limits.js";
import type { AssembleReply } from "../../services/assemble.js";
import { path } from "../client.js";
import { commandLine } from "../command-line.js";
import { counted } from "../counted.js";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { noRun, orMissing } from "../missing.js";
import { type TenantOptions, wholeNumber, withTenant } from "../options.js";
import { ownRun } from "../own-run.js";
import { withClient } from "../service.js";
import { plainLines } from "../table.js";

interface AssembleOptions extends TenantOptions {
  readonly run?: string;
  readonly subject?: string;
  readonly route?: string;
  readonly query?: string;
  readonly limit: number;
  readonly tokensMax?: number;
}

const MORE = `
Give --run for a run of your application, or --subject and --route for one of
the command line's own. With --query the pack holds what recall finds, where
the route allows a recall at this moment.`;

export function assembleCommand(io: Io): Command {
  return withTenant(
    new Command("assemble")
      .description("print what a run may remember now")
      .option("--run <id>", "run to assemble for")
      .option("--subject <id>", "whose memory it is")
      .option("--route <id>", "route whose profile allows it")
      .option("--query <text>", "what to recall into the pack")
      .option("--limit <n>", "recalled turns at most", wholeNumber(0, LIMITS.recallHitsMax), 10)
      .option(
        "--tokens-max <n>",
        "lower the route's token cap",
        wholeNumber(1, LIMITS.packTokensMax),
      ),
  )
    .addHelpText("after", MORE)
    .action(async (options: AssembleOptions) => {
      const { query, limit, tokensMax } = options;
      const run = asker(options);
      const pack = await withClient({ options, role: "app", io }, async (client) => {
        const id = typeof run === "string" ? run : await ownRun(client, run);
        const body = {
          ...(tokensMax !== undefined && { tokens_max: tokensMax }),
          ...(query !== undefined && { recall: { query, limit } }),
        };
        return orMissing(
          client.call<AssembleReply>("POST", path`/v1/runs/${id}/pack`, body),
          noRun(options),
        );
      });
      if (options.json) io.out(JSON.stringify(pack));
      else show(pack, options, io);
    });
}

/** The run itself, or for whom to have one. */
function asker({ run, subject, route, tenant }: AssembleOptions) {
  if (run !== undefined) {
    if (subject === undefined && route === undefined) return run;
    throw new UsageError("--run has its own subject and route: leave --subject and --route out");
  }
  if (subject !== undefined && route !== undefined) return { subject, route, tenant };
  throw new UsageError("give --run, or both --subject and --route");
}

function show(pack: AssembleReply, options: AssembleOptions, io: Io): void {
  io.verbatim(plainLines(pack.text.trimEnd()));
  const lines = counted(pack.items.length, "line");
  const out = pack.left_out.length;
  io.err(`${pack.tokens} of ${pack.tokens_max} tokens, ${lines}, ${out} left out`);
  io.err("why each line is there:");
  io.err(`  ${commandLine(["explain", pack.pack_id], options)}`);
}
