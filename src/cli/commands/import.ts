import { Command } from "commander";
import type { Route } from "../../domain/route.js";
import type { ImportReply } from "../../services/import-turns.js";
import type { ReadRouteReply } from "../../services/read-route.js";
import { path } from "../client.js";
import { commandLine } from "../command-line.js";
import { counted } from "../counted.js";
import { EXIT, Exit } from "../failure.js";
import { FORMATS, type Format, readTranscript } from "../import/read-file.js";
import { asSubject, type Json } from "../import/row.js";
import { type ImportResult, isFailed, uploadRows } from "../import/upload.js";
import type { Io } from "../io.js";
import { noRoute, orMissing } from "../missing.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { plain, table } from "../table.js";

interface ImportOptions extends TenantOptions {
  readonly route: string;
  readonly subject?: string;
  readonly session?: string;
  readonly observedAt?: string;
  readonly speaksAs?: string;
  readonly format: Format;
}

type Counts = Pick<ImportResult, "imported" | "duplicates" | "skipped" | "refused">;

/** The file's turns are in, and whether the command line can recall them by the same route. */
interface Imported {
  readonly result: ImportResult;
  readonly isRecalled: boolean;
}

interface Shown extends Counts, Pick<ImportResult, "rows">, Pick<Imported, "isRecalled"> {
  readonly subjects: readonly { readonly subject: string; readonly turns: number }[];
}

const SHOWN_MAX = 20;

const MORE = `
Formats:
  jsonl   a turn a line: {session, source_id, speaker, role, text, observed_at,
          subject?, speaker_is_subject?}
  openai  message arrays as chat APIs have them, or {messages: [...]}; a chat
          is a session
  locomo  LoCoMo samples; subject is the sample_id, the people are speakers

Sending a file again adds nothing, so a broken-off import is simply repeated.
What was forgotten is skipped. A row that is refused doesn't stop the others:
exit code 1 only where no row could be taken.`;

const AS_THEY_WERE =
  "what was there already stays as it was: --speaks-as says nothing of it. To take a session in anew: muniment erase scope SUBJECT session SESSION --reason expire, then import it again with --speaks-as";

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
      .option("--speaks-as <name>", "name of the subject's own among the file's speakers")
      .addOption(oneOf("--format <format>", "format of the file", FORMATS).default("auto")),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: ImportOptions) => {
      const { result, isRecalled } = await importFile(file, options, io);
      const { subjects, ...counted } = result;
      const kept = [...subjects]
        .map(([subject, turns]) => ({ subject, turns }))
        .sort((a, b) => b.turns - a.turns);
      if (options.json) io.out(JSON.stringify({ ...counted, subjects: kept }));
      else show({ ...counted, subjects: kept, isRecalled }, options, io);
      if (options.speaksAs !== undefined && result.duplicates > 0) io.err(AS_THEY_WERE);
      if (isFailed(result)) throw new Exit(EXIT.failed);
    });
}

async function importFile(file: string, options: ImportOptions, io: Io): Promise<Imported> {
  const { format, route, subject = null, session = null, observedAt = null } = options;
  const rows = readTranscript({ file, format, subject, session, observedAt });
  const onProgress = (result: ImportResult) => io.progress?.(counts(result));
  return withClient({ options, role: "app", io }, async (client) => {
    const asked = client.call<ReadRouteReply>("GET", path`/v1/routes/${route}`);
    const read = await orMissing(asked, noRoute(route, options));
    const post = (whose: string, sent: readonly Json[]) =>
      client.call<ImportReply>("POST", path`/v1/subjects/${whose}/import`, {
        route_id: route,
        rows: sent.map((row) => asSubject(row, options.speaksAs)),
      });
    const result = await uploadRows(rows, { post, subject, onProgress }).finally(() =>
      io.progress?.(null),
    );
    return { result, isRecalled: recallsAnytime(read.route) };
  });
}

/** The command line's own run stands at no stage. */
function recallsAnytime({ autonomy, tools, memory_profile }: Route): boolean {
  const listsRecall = tools.some((tool) => tool.startsWith("recall_"));
  const isOpen = autonomy === 0 || (autonomy === 1 && listsRecall);
  return isOpen && memory_profile.long_term !== "none";
}

function counts({ imported, duplicates, skipped, refused }: Counts): string {
  return `${imported} imported, ${duplicates} there already, ${skipped} skipped, ${refused} refused`;
}

function show(
  { rows, subjects, isRecalled, ...count }: Shown,
  options: ImportOptions,
  io: Io,
): void {
  io.out(counts(count));
  if (rows.length > 0) {
    const shown = rows.slice(0, SHOWN_MAX);
    const cells = shown.map(({ place, kind, field, message }) => [
      place,
      kind,
      field ?? "",
      message,
    ]);
    io.out(table(["row", "kind", "field", "why"], cells));
    const more = count.skipped + count.refused - shown.length;
    if (more > 0) io.out(`and ${more} more: --json lists them`);
  }
  const [first] = subjects;
  if (first === undefined) {
    if (count.refused > 0 || count.skipped === 0)
      io.err("nothing was taken: is it another --format, or whose is it (--subject)?");
    return;
  }
  for (const { subject, turns } of subjects.slice(0, SHOWN_MAX)) {
    io.out(`  ${plain(subject)}: ${counted(turns, "turn")}`);
  }
  if (subjects.length > SHOWN_MAX) {
    io.out(`and ${subjects.length - SHOWN_MAX} more subjects: --json lists them`);
  }
  if (!isRecalled) {
    const { route } = options;
    io.err(`route ${plain(route)} recalls at points of its own alone. Ask for it by a route of`);
    io.err("autonomy 0 that lists it in `recall_from`: routes/chat.yaml is one of autonomy 0");
    return;
  }
  const ask = ["recall", "--route", options.route, "--subject", first.subject];
  io.err("ask for it:");
  io.err(`  ${commandLine(ask, options)} --query "..."`);
}
