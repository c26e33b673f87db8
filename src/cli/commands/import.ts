import { Command } from "commander";
import type { ImportReply } from "../../services/import-turns.js";
import { path } from "../client.js";
import { EXIT, Exit } from "../failure.js";
import { FORMATS, type Format, readTranscript } from "../import/read-file.js";
import { type ImportResult, uploadRows } from "../import/upload.js";
import type { Io } from "../io.js";
import { noRoute, orMissing } from "../missing.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

interface ImportOptions extends TenantOptions {
  readonly route: string;
  readonly subject?: string;
  readonly session?: string;
  readonly observedAt?: string;
  readonly format: Format;
}

const SHOWN_MAX = 20;

const MORE = `
Formats:
  jsonl   a turn a line: {session, source_id, speaker, role, text, observed_at, subject?}
  openai  message arrays as chat APIs have them, or {messages: [...]}; a chat is a session
  locomo  LoCoMo samples; subject is the sample_id, the people are speakers

Sending a file again adds nothing, so a broken-off import is simply repeated. A row that is refused
doesn't stop the others: exit code 1 only where no row could be taken.`;

export function importCommand(io: Io): Command {
  return withTenant(
    new Command("import")
      .description("take in chat transcripts as evidence")
      .argument("<file>", "transcript file")
      .requiredOption("--route <id>", "route that they count as a source of")
      .option("--subject <id>", "whose memory they are, where the file doesn't say")
      .option("--session <id>", "session where the file doesn't say (the file's name)")
      .option(
        "--observed-at <time>",
        "time where the file doesn't say, such as 2026-03-01T09:30:00Z",
      )
      .addOption(oneOf("--format <format>", "format of the file", FORMATS).default("auto")),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: ImportOptions) => {
      const result = await importFile(file, options, io);
      if (options.json) io.out(JSON.stringify(result));
      else show(result, io);
      if (result.imported + result.duplicates === 0) throw new Exit(EXIT.failed);
    });
}

async function importFile(file: string, options: ImportOptions, io: Io): Promise<ImportResult> {
  const { format, route, subject = null, session = null, observedAt = null } = options;
  const rows = readTranscript({ file, format, subject, session, observedAt });
  const onProgress = ({ imported, duplicates, refused }: ImportResult) =>
    io.err(`${imported} imported, ${duplicates} there already, ${refused} refused`);
  return withClient({ options, role: "app", io }, async (client) => {
    const post = (whose: string, sent: readonly object[]) =>
      client.call<ImportReply>("POST", path`/v1/subjects/${whose}/import`, {
        route_id: route,
        rows: sent,
      });
    return orMissing(uploadRows(rows, { post, subject, onProgress }), noRoute(route, options));
  });
}

function show({ imported, duplicates, refused, rows }: ImportResult, io: Io): void {
  io.out(`${imported} imported, ${duplicates} there already, ${refused} refused`);
  if (rows.length === 0) return;
  const shown = rows.slice(0, SHOWN_MAX);
  const cells = shown.map(({ place, kind, field, message }) => [place, kind, field ?? "", message]);
  io.out(table(["row", "kind", "field", "why"], cells));
  if (refused > shown.length) io.out(`and ${refused - shown.length} more: --json lists them`);
}
