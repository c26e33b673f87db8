import {
  type ArchiveLine,
  type EXCLUDED,
  type Manifest,
  parseLine,
  parseManifest,
} from "../../domain/archive.js";
import { SECTIONS, type Section } from "./readable-sections.js";
import { day, plain, quoted } from "./readable-text.js";

const KNOWN: Readonly<Record<string, Section | undefined>> = SECTIONS;

/** A person's archive as a document in Markdown, written as it is read. Nothing is left out that the archive has in words. */
export async function* readableArchive(
  archive: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let manifest: Manifest | null = null;
  let title = "";
  for await (const [line, next] of withNext(archive)) {
    if (manifest === null) {
      manifest = parseManifest(line);
      continue;
    }
    if (line.kind === "subject") yield* beginning(manifest, line);
    if (line.kind === "trailer") yield* unreadable(line);
    const section = KNOWN[line.kind];
    const entry = section?.entry(line, next) ?? null;
    if (section === undefined || entry === null) continue;
    if (section.title !== title) yield `\n## ${section.title}\n`;
    title = section.title;
    yield `${entry}\n`;
  }
  if (manifest !== null) yield* ending(manifest);
}

/** Each line with the one behind it; null behind the last. */
async function* withNext(
  archive: AsyncIterable<string>,
): AsyncGenerator<readonly [ArchiveLine, ArchiveLine | null], void, undefined> {
  let waiting: ArchiveLine | null = null;
  for await (const text of archive) {
    const line = parseLine(text);
    if (waiting !== null) yield [waiting, line];
    waiting = line;
  }
  if (waiting !== null) yield [waiting, null];
}

function* beginning({ tenant, exported_at }: Manifest, line: ArchiveLine): Generator<string> {
  yield "# What is kept about you\n";
  yield `${quoted(plain(line.subject))}\n`;
  yield `Kept by ${plain(tenant)} since ${day(line.created_at)}, as of ${day(exported_at)}.`;
}

/** Damage is said: a document that only looks whole answers no request. */
function* unreadable(line: ArchiveLine): Generator<string> {
  const rows = Object.entries((line.unreadable ?? {}) as Readonly<Record<string, unknown>>);
  if (rows.length > 0) yield "\n## What couldn't be read\n";
  for (const [kind, count] of rows) yield `- ${plain(count)} of ${kind.replaceAll("_", " ")}`;
}

/** What an archive leaves out, in words for its person; null where it is no more about them than what is above. */
const LEFT_OUT: Readonly<Record<keyof typeof EXCLUDED, string | null>> = {
  what_ended: "what has expired: nobody can read it any more",
  view: "what is derived of the above alone, such as a summary of you and lists of current values",
  search_terms: "search indexes, made of the words above",
  segment: null,
  vector: null,
  pack: "which of the above an assistant was given, and when: kept without its words",
  audit: "the record of who read or wrote, and when: kept without its words",
  work: null,
  idempotency: null,
  author: null,
  held_source: null,
  revision: null,
  value_hash: null,
  approval: "that a first of two people has approved a value that still waits",
};

function* ending({ excluded }: Manifest): Generator<string> {
  yield "\n## What this document leaves out\n";
  const inWords: Readonly<Record<string, string | null>> = LEFT_OUT;
  for (const [name, why] of Object.entries(excluded)) {
    const said = name in inWords ? inWords[name] : `${name.replaceAll("_", " ")}: ${plain(why)}`;
    if (said) yield `- ${said}`;
  }
}
