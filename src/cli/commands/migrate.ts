import { Command } from "commander";
import { path } from "../client.js";
import { EXIT, Exit } from "../failure.js";
import type { ImportResult } from "../import/upload.js";
import type { Io } from "../io.js";
import { type MigrateResult, migrateExport } from "../migrate/migrate-export.js";
import type { Propose } from "../migrate/propose-rows.js";
import { ORIGINS, type Origin } from "../migrate/read-export.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

interface MigrateOptions extends TenantOptions {
  readonly from: Origin;
  readonly map: string;
  readonly subject?: string;
}

const SHOWN_MAX = 20;

const MORE = `
Formats (--from):
  mem0       what get_all answers, as JSON, or one memory a line
  langgraph  store items {namespace, key, value}, or rows of the table store
  letta      an agent file (.af) with its blocks, or lists of blocks or
             archival passages
  jsonl      any objects, one a line: {id, subject, text, ...}

The mapping file says which part becomes a proposal for which field; what it
doesn't name is counted and not kept. Each proposal waits in the review queue:
nothing of it is in any pack before a person has promoted it. Sending a file
again adds nothing, so a migration that broke off is simply repeated.`;

export function migrateCommand(io: Io): Command {
  return withTenant(
    new Command("migrate")
      .description("move another system's memories in, as proposals for people to review")
      .argument("<file>", "its export")
      .addOption(oneOf("--from <system>", "where it comes from", ORIGINS).makeOptionMandatory())
      .requiredOption("--map <file>", "mapping file, in YAML or JSON")
      .option("--subject <id>", "whose memories they are, where the file doesn't say"),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: MigrateOptions) => {
      const result = await migrateFile(file, options, io);
      if (options.json) io.out(JSON.stringify(result));
      else show(result, io);
      if (result.refused > 0 && result.candidates + result.duplicates === 0)
        throw new Exit(EXIT.failed);
    });
}

async function migrateFile(file: string, options: MigrateOptions, io: Io): Promise<MigrateResult> {
  const { from, subject = null } = options;
  // Its schema is the only one of the command line, and no other command needs it.
  const { readFieldMap } = await import("../migrate/field-map.js");
  const map = readFieldMap(options.map);
  const onProgress = ({ imported, ...others }: ImportResult) =>
    io.progress?.(counts({ candidates: imported, ...others }));
  return withClient({ options, role: "operator", io }, (client) => {
    const propose: Propose = (whose, row) =>
      client.call("POST", path`/v1/subjects/${whose}/candidates`, row);
    const migration = { file, from, map, subject, propose, onProgress };
    return migrateExport(migration).finally(() => io.progress?.(null));
  });
}

type Counts = Pick<MigrateResult, "candidates" | "duplicates" | "skipped" | "refused">;

function counts({ candidates, duplicates, skipped, refused }: Counts): string {
  return `${candidates} proposed, ${duplicates} there already, ${skipped} skipped, ${refused} refused`;
}

function show(result: MigrateResult, io: Io): void {
  const { memories, unmapped, candidates, skipped, refused, rows } = result;
  const kinds = Object.entries(memories).map(([kind, count]) => `${count} of kind ${kind}`);
  io.out(`read ${kinds.join(", ") || "nothing"}; ${unmapped} that no rule names, not kept`);
  io.out(counts(result));
  if (rows.length > 0) {
    const shown = rows.slice(0, SHOWN_MAX);
    const cells = shown.map(({ place, kind, field, message }) => [
      place,
      kind,
      field ?? "",
      message,
    ]);
    io.out(table(["row", "kind", "field", "why"], cells));
    const more = skipped + refused - shown.length;
    if (more > 0) io.out(`and ${more} more: --json lists them`);
  }
  if (candidates > 0) io.err("each waits for a person: nothing of it is in a pack before that");
}
