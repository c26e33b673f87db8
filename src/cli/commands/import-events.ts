import { Command } from "commander";
import { LIMITS } from "../../domain/limits.js";
import type { RecordEventsReply } from "../../services/record-events.js";
import { path } from "../client.js";
import { EXIT, Exit } from "../failure.js";
import { eventRows } from "../import/jsonl.js";
import { findFile } from "../import/read-file.js";
import type { Parsed } from "../import/row.js";
import { type BatchReply, type ImportResult, isFailed, uploadRows } from "../import/upload.js";
import { readUtf8Lines } from "../import/utf8-file.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

interface ImportEventsOptions extends TenantOptions {
  readonly subject?: string;
}

const MORE = `
An event a line: {subject, source, source_id, source_revision, kind, key,
value, unit, conditions, code, status, effective_at, expires_at, speaker,
observer}. Sending a file again adds nothing, so an import that broke off is
simply repeated. What was forgotten is skipped. A line that is refused doesn't
stop the others: exit code 1 only where none could be taken.`;

const SHOWN_MAX = 20;

export function importEventsCommand(io: Io): Command {
  return withTenant(
    new Command("import-events")
      .description("take in what connectors report of people, as evidence")
      .argument("<file>", "file of JSON Lines")
      .option("--subject <id>", "whom they are about, where the file doesn't say"),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: ImportEventsOptions) => {
      const result = await importEvents(file, options, io);
      const counted = { ...countsOf(result), events: result.rows };
      if (options.json) io.out(JSON.stringify(counted));
      else show(counted, io);
      if (isFailed(result)) throw new Exit(EXIT.failed);
    });
}

async function importEvents(
  file: string,
  options: ImportEventsOptions,
  io: Io,
): Promise<ImportResult> {
  await findFile(file);
  return withClient({ options, role: "connector", io }, (client) => {
    const post = async (whose: string, events: readonly object[]): Promise<BatchReply> => {
      const at = path`/v1/subjects/${whose}/events`;
      const reply = await client.call<RecordEventsReply>("POST", at, { events });
      return { imported: reply.recorded, duplicates: reply.unchanged, rows: reply.events };
    };
    const { subject = null } = options;
    const onProgress = (result: ImportResult) => io.progress?.(counts(countsOf(result)));
    const batchRows = LIMITS.eventsPerRequestMax;
    return uploadRows(readEvents(file), { post, subject, onProgress, batchRows }).finally(() =>
      io.progress?.(null),
    );
  });
}

async function* readEvents(file: string): AsyncGenerator<Parsed> {
  let number = 0;
  for await (const line of readUtf8Lines(file)) {
    number += 1;
    if (line !== null) yield* eventRows(line, number);
    else yield { place: `line ${number}`, field: "line", message: "isn't UTF-8" };
  }
}

interface Counts {
  readonly recorded: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly refused: number;
}

function countsOf({ imported, duplicates, skipped, refused }: ImportResult): Counts {
  return { recorded: imported, unchanged: duplicates, skipped, refused };
}

function counts({ recorded, unchanged, skipped, refused }: Counts): string {
  return `${recorded} recorded, ${unchanged} there already, ${skipped} skipped, ${refused} refused`;
}

function show({ events, ...count }: Counts & { readonly events: ImportResult["rows"] }, io: Io) {
  io.out(counts(count));
  if (events.length === 0) return;
  const cells = events
    .slice(0, SHOWN_MAX)
    .map(({ place, kind, field, message }) => [place, kind, field ?? "", message]);
  io.out(table(["line", "kind", "field", "why"], cells));
  const more = count.skipped + count.refused - cells.length;
  if (more > 0) io.out(`and ${more} more: --json lists them`);
}
