import { assert, MunimentError } from "./errors.js";
import { isObject } from "./fields.js";
import { isUuid, type SubjectId, trustedId } from "./ids.js";
import { parseExternalId, parseInstant } from "./input.js";
import type { LedgerHead } from "./ledger.js";

/** The format of an archive: JSON Lines, a manifest first, a trailer last. A change that an older reader gets wrong is a new number. */
export const ARCHIVE_FORMAT = "muniment.archive";
export const ARCHIVE_VERSION = 1;

/** Kinds of lines, in the order in which they travel: what belongs to another comes after it. */
export const TENANT_KINDS = ["route", "field", "tombstone"] as const;
export const SUBJECT_KINDS = [
  "session",
  "run",
  "working",
  "checkpoint",
  "escalation",
  "turn",
  "event",
  "episode",
  "observation",
  "trace",
  "candidate",
  "promotion",
  "field_value",
  "hold",
] as const;
export type TenantKind = (typeof TENANT_KINDS)[number];
export type SubjectKind = (typeof SUBJECT_KINDS)[number];
export type LineKind = "subject" | TenantKind | SubjectKind;

/** What an archive leaves out, and why. Everything else of a subject is in it. */
export const EXCLUDED = {
  what_ended:
    "rows whose clock has run out, or whose conversation has begun anew: nobody can read them any more",
  search_terms: "derived from the text, and made again where it is imported",
  segment: "derived: sealed parts of the search index, made again",
  view: "derived: a person's model and the state of connectors' records, made again",
  vector: "derived: vectors of an embedding model, made again",
  pack: "assembled contexts are records of decisions made where they were made, without text",
  audit: "the trail of the place that it was written in",
  work: "jobs that are under way",
  idempotency: "replies that wait for a repeated request",
  author:
    "who wrote a route or field, and when: whoever imports it writes it anew, by their own right",
  held_source:
    "a hold of a source travels as one of the turn, or of the first revision of the record, that came from it",
  revision: "the order of writes travels, its numbers are given anew",
  value_hash: "made again under the new key; that of a value which is gone stays a mere mark",
  approval:
    "the first of two approvals of a candidate that still waits, where the ids of people are given anew",
} as const;

export interface Manifest {
  readonly kind: "manifest";
  readonly format: typeof ARCHIVE_FORMAT;
  readonly version: number;
  readonly of: "subject" | "tenant";
  /** Name of the tenant that it was taken from. Says nothing about where it may go. */
  readonly tenant: string;
  readonly exported_at: string;
  /** Where the tenant's ledger of erasures stood. */
  readonly ledger: LedgerHead;
  readonly kinds: readonly LineKind[];
  readonly excluded: Readonly<Record<string, string>>;
}

/** Whose lines follow. */
export interface SubjectLine {
  readonly kind: "subject";
  readonly subject_id: SubjectId;
  /** The application's own id of the person. */
  readonly subject: string;
  readonly created_at: string;
}

export interface Trailer {
  readonly kind: "trailer";
  /** Lines of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Rows of each kind that didn't open in their place, and aren't in the archive. */
  readonly unreadable: Readonly<Record<string, number>>;
  /** Of all lines before this one, each with its line feed. */
  readonly sha256: string;
}

/** A line of an archive as JSON, not yet looked at any closer. */
export type ArchiveLine = Readonly<Record<string, unknown>> & { readonly kind: string };

const LINE_CHARS_MAX = 4_000_000;

function damaged(message: string): MunimentError {
  return new MunimentError("invalid_input", message, {
    field: "archive",
    nextStep: "bring in an archive as muniment export wrote it, without --readable",
  });
}

/** One line, or a refusal that quotes nothing of it. */
export function parseLine(text: string): ArchiveLine {
  if (text.length > LINE_CHARS_MAX) throw damaged("a line of the archive is too long");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged("a line of the archive isn't JSON");
  }
  if (!isObject(value) || typeof value.kind !== "string")
    throw damaged("a line of the archive has no kind");
  return value as ArchiveLine;
}

/** The first line: says whether this version can read the rest. */
export function parseManifest(line: ArchiveLine): Manifest {
  const { kind, format, version, of, tenant } = line;
  if (kind !== "manifest" || format !== ARCHIVE_FORMAT)
    throw damaged("it isn't an archive: its first line is no manifest");
  if (version !== ARCHIVE_VERSION)
    throw damaged(
      `the archive is of another version than ${ARCHIVE_VERSION}: use the release that wrote it, or a later one`,
    );
  if (of !== "subject" && of !== "tenant") throw damaged("the manifest doesn't say what it is of");
  if (typeof tenant !== "string") throw damaged("the manifest names no tenant");
  return line as unknown as Manifest;
}

export function parseSubjectLine(line: unknown, field: string): SubjectLine {
  if (!isObject(line) || line.kind !== "subject" || !isUuid(line.subject_id))
    throw new MunimentError("invalid_input", `\`${field}\` is no line of a subject`, { field });
  return {
    kind: "subject",
    subject_id: trustedId<"SubjectId">(line.subject_id),
    subject: parseExternalId(line.subject, `${field}.subject`),
    created_at: parseInstant(line.created_at, `${field}.created_at`).toISOString(),
  };
}

/** Counts lines as they are written or read. */
export class LineCounts {
  readonly #counts = new Map<string, number>();

  add(kind: string, lines = 1): void {
    if (lines > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + lines);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

/** Whether an archive holds what its trailer says. `sha256` is that of the lines that were read before it. */
export function isWhole(trailer: ArchiveLine, counts: LineCounts, sha256: string): boolean {
  assert(trailer.kind === "trailer", "the last line is no trailer");
  const own = counts.counts;
  const said = isObject(trailer.counts) ? trailer.counts : {};
  const kinds = new Set([...Object.keys(own), ...Object.keys(said)]);
  return trailer.sha256 === sha256 && [...kinds].every((kind) => own[kind] === said[kind]);
}
