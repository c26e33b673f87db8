import type { ArchiveLine, SubjectLine } from "../../domain/archive.js";
import { refuseCredential } from "../../domain/credential-text.js";
import { invalid, isObject } from "../../domain/fields.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { parseInput } from "../inputs/parse.js";
import type { Codec, LineRules } from "./codec.js";
import { lineShape } from "./line.js";
import { type LineReply, refusedLine, skipped } from "./line-replies.js";
import type { Definitions } from "./rely.js";
import { codecOf } from "./subject-codecs.js";

/** A line that is in order. */
export interface Accepted {
  readonly index: number;
  readonly codec: Codec;
  readonly line: ArchivedRow;
}

export interface Parsed {
  readonly accepted: readonly Accepted[];
  /** What became of those that aren't accepted. */
  readonly rest: readonly LineReply[];
}

/** Takes lines one by one: what is wrong with one sinks no other. */
export function each<Item extends { readonly index: number; readonly kind: string }>(
  items: readonly Item[],
  take: (item: Item) => Accepted | LineReply,
): Parsed {
  const accepted: Accepted[] = [];
  const rest: LineReply[] = [];
  for (const item of items) {
    try {
      const taken = take(item);
      if ("codec" in taken) accepted.push(taken);
      else rest.push(taken);
    } catch (error) {
      rest.push(refusedLine(item.index, item.kind, error));
    }
  }
  return { accepted, rest };
}

/** Reads lines one by one: each is of a known kind, has exactly its keys, and is about the person who was named. */
export function parseLines(lines: readonly unknown[], from: SubjectLine): Parsed {
  const named = lines.map((line, index) => ({ index, line, kind: kindOf(line) }));
  return each(named, ({ index, line, kind }) => {
    const codec = codecOf(kind);
    if (codec === undefined) throw invalid("kind", "is no kind of a subject's lines");
    const parsed = parseInput(lineShape(codec), line);
    if (parsed.subject_id !== from.subject_id)
      throw invalid("subject_id", "is another subject's than the one that was named");
    return { index, codec, line: parsed };
  });
}

/** A kind of the file's own is repeated to nobody. */
function kindOf(line: unknown): string {
  const kind = isObject(line) ? (line as ArchiveLine).kind : undefined;
  return typeof kind === "string" && codecOf(kind) !== undefined ? kind : "unknown";
}

/** Holds lines to the definitions that stand here, and to what every layer and the door of each kind refuses, whoever brings it. */
export function checkLines(
  lines: readonly Accepted[],
  definitions: Definitions,
  rules: Omit<LineRules, "definition">,
): Parsed {
  const named = lines.map((one) => ({ ...one, kind: one.codec.kind }));
  return each(named, (one) => {
    const { codec, line } = one;
    if (!definitions.agrees(codec, line)) return skipped(one, "definition_differs");
    refuseCredentialsIn(codec, line);
    refuseAhead(codec, line, rules.now);
    codec.check?.(line, { ...rules, definition: definitions.field });
    return one;
  });
}

/** Nothing was written down later than now. */
function refuseAhead({ table }: Codec, line: ArchivedRow, now: Date): void {
  for (const { name, isPast } of table.columns)
    if (isPast && (line[name] as Date | null) !== null && (line[name] as Date) > now)
      throw invalid(name, "lies ahead");
}

/** Nothing of an archive may bring in what no layer keeps. */
function refuseCredentialsIn(codec: Codec, line: ArchivedRow): void {
  for (const key of Object.keys(codec.contents)) {
    const content = line[key];
    if (content === null || content === undefined) continue;
    refuseCredential(typeof content === "string" ? content : JSON.stringify(content), key);
  }
}
