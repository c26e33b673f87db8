import { type ArchiveLine, type Manifest, parseLine, parseManifest } from "../../domain/archive.js";
import { isObject } from "../../domain/fields.js";

type Section = readonly [title: string, entry: (line: ArchiveLine) => string];

const field = (line: ArchiveLine, name: string): string => plain(line[name]);

/** Text of the person's own as a quotation: whatever is in it stays text, and no link, picture or code. */
function quoted(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`[\]]/g, "\\$&")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((row) => `> ${row}`)
    .join("\n");
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Lists of ids of our own rows, which say nothing to a person. */
const OURS: ReadonlySet<string> = new Set(["turn_ids", "working"]);

/** A value as a person reads it: a line a name, without what is empty; what is a text and no more is that alone. */
function told(value: unknown, between = "\n"): string {
  if (Array.isArray(value)) return value.map((one) => told(one, ", ")).join("; ");
  if (!isObject(value)) return plain(value);
  const names = Object.entries(value).filter(
    ([name, one]) => !isEmpty(one) && !(OURS.has(name) && Array.isArray(one)),
  );
  if (names.length === 1 && typeof value.text === "string") return value.text;
  return names
    .map(([name, one]) => `${name.replaceAll("_", " ")}: ${told(one, ", ")}`)
    .join(between);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

const day = (value: unknown): string =>
  String(value)
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");

function until(value: unknown): string {
  return value === null ? "until it is deleted" : `until ${day(value)}`;
}

/** One heading a kind, in the order in which an archive has them. */
const SECTIONS: Readonly<Record<string, Section>> = {
  session: [
    "Chats",
    (line) =>
      `${quoted(field(line, "session"))}\n\nbegun ${day(line.created_at)}, ${field(line, "state")}`,
  ],
  run: [
    "What was asked for",
    (line) =>
      `${quoted(field(line, "goal"))}\n\n${day(line.created_at)}, for ${field(line, "route_id")}, ${field(line, "state")}, kept ${until(line.expires_at)}`,
  ],
  working: [
    "Notes that were taken while working on it",
    (line) =>
      `${quoted(told(line.value))}\n\n${field(line, "class")}, ${day(line.recorded_at)}, kept ${line.expires_at === null ? "as long as its run" : until(line.expires_at)}`,
  ],
  checkpoint: [
    "Where work stands",
    (line) =>
      `${quoted(told(line.value))}\n\nstep ${field(line, "step")}, ${day(line.recorded_at)}`,
  ],
  escalation: [
    "What was handed to a human",
    (line) =>
      `${quoted(field(line, "reason"))}\n\n${day(line.raised_at)}; the answer:\n\n${quoted(field(line, "answer"))}`,
  ],
  turn: [
    "What was said",
    (line) =>
      `${quoted(plain((line.content as { text?: unknown }).text))}\n\n${line.speaker === null ? field(line, "role") : field(line, "speaker")}, ${day(line.observed_at)}, kept ${line.evidence_until === null ? "as long as its chat" : until(line.evidence_until)}`,
  ],
  event: [
    "What connected systems reported",
    (line) =>
      `${quoted(told(line.body))}\n\n${field(line, "event_kind")}, ${field(line, "source")}, since ${day(line.effective_at)}`,
  ],
  episode: [
    "What conversations came to",
    (line) =>
      `${quoted(told(line.summary))}\n\n${day(line.observed_at)}, kept ${until(line.expires_at)}`,
  ],
  observation: [
    "What was noticed",
    (line) =>
      `${quoted(plain((line.body as { text?: unknown }).text))}\n\n${field(line, "dimension_id")}, ${field(line, "basis")}, ${day(line.observed_at)}, kept ${until(line.expires_at)}`,
  ],
  trace: [
    "What was done",
    (line) =>
      `${quoted(told(line.facts))}\n\n${field(line, "outcome")} (${field(line, "terminal_reason")}), ${day(line.recorded_at)}, kept ${until(line.expires_at)}`,
  ],
  candidate: [
    "What was proposed to be remembered",
    (line) =>
      `${quoted(`${field(line, "field_id")}: ${field(line, "value")}`)}\n\n${field(line, "state")}, proposed by ${field(line, "proposer")}, ${day(line.created_at)}`,
  ],
  promotion: [
    "Who decided on what is remembered",
    (line) =>
      `${quoted(`${field(line, "field_id")}: ${line.removed === null ? "a value that is gone" : field(line, "value")}`)}\n\ndecided by ${field(line, "actor")} (${field(line, "rule")}), ${day(line.recorded_at)}`,
  ],
  field_value: [
    "What is remembered",
    (line) =>
      `${quoted(`${field(line, "field_id")}: ${line.removed ? "removed" : field(line, "value")}`)}\n\nsource ${field(line, "source")}, ${day(line.updated_at)}, kept ${until(line.expires_at)}`,
  ],
  hold: [
    "What may not be erased yet",
    (line) =>
      `${line.scope === "subject" ? "everything" : `one ${field(line, "scope")}`}, since ${day(line.placed_at)}${line.released_at === null ? "" : `, released ${day(line.released_at)}`}`,
  ],
};

/** A person's archive as a document in Markdown, written as it is read. Nothing is left out that the archive has in words. */
export async function* readableArchive(
  archive: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let manifest: Manifest | null = null;
  let section = "";
  for await (const text of archive) {
    const line = parseLine(text);
    if (manifest === null) {
      manifest = parseManifest(line);
      continue;
    }
    if (line.kind === "subject") yield* beginning(manifest, line);
    if (line.kind === "trailer") yield* unreadable(line);
    const known = SECTIONS[line.kind];
    if (known === undefined) continue;
    const [title, entry] = known;
    if (line.kind !== section) yield `\n## ${title}\n`;
    section = line.kind;
    yield `${entry(line)}\n`;
  }
  if (manifest !== null) yield* ending(manifest);
}

function* beginning({ tenant, exported_at }: Manifest, line: ArchiveLine): Generator<string> {
  yield "# What is kept about you\n";
  yield `${quoted(field(line, "subject"))}\n`;
  yield `Kept by ${plain(tenant)} since ${day(line.created_at)}, as of ${day(exported_at)}.`;
}

/** Damage is said: a document that only looks whole answers no request. */
function* unreadable(line: ArchiveLine): Generator<string> {
  const rows = Object.entries((line.unreadable ?? {}) as Readonly<Record<string, unknown>>);
  if (rows.length > 0) yield "\n## What couldn't be read\n";
  for (const [kind, count] of rows) yield `- ${plain(count)} of ${kind.replaceAll("_", " ")}`;
}

function* ending({ excluded }: Manifest): Generator<string> {
  yield "\n## What this document leaves out\n";
  for (const [name, why] of Object.entries(excluded))
    yield `- ${name.replaceAll("_", " ")}: ${plain(why)}`;
}
