import { Command } from "commander";
import type { DiagnosedLine, DiagnosePackReply } from "../../services/diagnose-pack.js";
import { path, query } from "../client.js";
import type { Io } from "../io.js";
import { noPack, orMissing } from "../missing.js";
import { type TenantOptions, wholeNumber, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { lineSource, shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

interface DiagnoseOptions extends TenantOptions {
  readonly line?: number;
}

const LINES_MAX = 99_999;

const MORE = `
For each line, or for one, it looks in this order: promotion log, working
assembly, retrieval, episodic paste. It says which memory the line came from,
who put it there and when, and what can be done. It shows no text.`;

export function diagnoseCommand(io: Io): Command {
  return withTenant(
    new Command("diagnose")
      .description("say where the lines of a stored pack came from, when it remembered wrong")
      .argument("<pack>", "id of the pack")
      .option(
        "--line <number>",
        "only this one, counted from 1 as `explain` lists them",
        wholeNumber(1, LINES_MAX),
      ),
  )
    .addHelpText("after", MORE)
    .action(async (pack: string, options: DiagnoseOptions) => {
      const asked = query({ line: options.line });
      const reply = await withClient({ options, role: "operator", io }, (client) =>
        orMissing(
          client.call<DiagnosePackReply>("GET", `${path`/v1/packs/${pack}/diagnosis`}${asked}`),
          noPack(options),
        ),
      );
      if (options.json) io.out(JSON.stringify(reply));
      else show(reply, io);
    });
}

function show({ run_id, created_at, lines }: DiagnosePackReply, io: Io): void {
  io.out(table(["line", "source", "came from", "put there by", "what next"], lines.map(rowOf)));
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) {
    const steps = only.findings.map(({ step, found, says }) => [
      step,
      found ? "yes" : "no",
      shortId(says),
    ]);
    io.out(table(["looked at", "found", "finding"], steps));
  }
  io.err(`run ${run_id}, packed ${timeOf(created_at)}`);
}

function rowOf({
  line,
  kind,
  source,
  origin,
  put_by: put,
  next_step,
}: DiagnosedLine): readonly string[] {
  const by =
    put === null
      ? ""
      : `${put.operation} (${put.principal_kind} ${shortId(put.principal_ref)}), ${timeOf(put.at)}`;
  return [String(line), lineSource(kind, source), origin, by, next_step];
}
