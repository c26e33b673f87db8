import { Command } from "commander";
import { LineCounts, parseLine } from "../../domain/archive.js";
import { readableArchive } from "../../services/archive/readable.js";
import { writeLines } from "../archive-file.js";
import { type Client, path } from "../client.js";
import { counted } from "../counted.js";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";

interface ExportOptions extends TenantOptions {
  readonly subject?: string;
  readonly readable?: boolean;
}

const PROGRESS_LINES = 1_000;

const MORE = `
An archive holds what may still be read: personal data, so the file is yours
alone (mode 0600). It begins with what it leaves out, and ends with its
counts. muniment import-archive brings it in. --readable writes a document for
the person instead, which can't be brought in.`;

export function exportCommand(io: Io): Command {
  return withTenant(
    new Command("export")
      .description("write a person's memory, or the whole tenant, into a file")
      .argument("<file>", "file to make, or - for the output")
      .option("--subject <id>", "whose memory; the whole tenant where nobody is named")
      .option("--readable", "a document that the person can read"),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: ExportOptions) => {
      const { subject, readable } = options;
      if (readable && subject === undefined)
        throw new UsageError("--readable is about one person: name one with --subject");
      if (file === "-" && process.stdout.isTTY)
        io.err("personal data follows: anybody who sees this terminal can read it");
      const counts = await withClient({ options, role: "privacy_officer", io }, (client) => {
        const written = write(client, file, options, io);
        return subject === undefined ? written : orMissing(written, noSubject(subject, options));
      });
      if (file === "-") return;
      if (options.json) io.out(JSON.stringify({ file, counts }));
      else io.out(`${file}: ${describe(counts)}`);
    });
}

async function write(
  client: Client,
  file: string,
  { subject, readable }: ExportOptions,
  io: Io,
): Promise<LineCounts["counts"]> {
  const counts = new LineCounts();
  const at = subject === undefined ? "/v1/export" : path`/v1/subjects/${subject}/export`;
  const archive = tallied(client.lines(at), counts, io);
  const lines = readable ? readableArchive(archive) : archive;
  if (file === "-") for await (const line of lines) io.verbatim(line);
  else await writeLines(file, lines);
  return counts.counts;
}

/** Counts the lines of an archive on their way, and shows it now and then. */
async function* tallied(
  archive: AsyncIterable<string>,
  counts: LineCounts,
  io: Io,
): AsyncGenerator<string, void, undefined> {
  let lines = 0;
  for await (const text of archive) {
    const { kind } = parseLine(text);
    if (kind !== "manifest" && kind !== "trailer") counts.add(kind);
    lines += 1;
    if (lines % PROGRESS_LINES === 0) io.progress?.(counted(lines, "line"));
    yield text;
  }
  io.progress?.(null);
}

function describe(counts: LineCounts["counts"]): string {
  const parts = Object.entries(counts).map(([kind, count]) => counted(count, kind));
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
