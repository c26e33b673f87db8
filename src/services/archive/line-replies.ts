import type { ErrorKind } from "../../domain/errors.js";
import { MunimentError } from "../../domain/errors.js";

/** Why a line that is in order wasn't taken in. */
export type SkipReason =
  /** It is from before its person was forgotten, or was forgotten by itself. */
  | "erased"
  /** It was made of its person's words, of which some were forgotten since: it doesn't show of which. */
  | "erased_since"
  /** Its clock has run out. */
  | "expired"
  /** Something else stands in its place: what is here isn't overwritten. */
  | "exists_other"
  /** What it belongs to isn't here: it was skipped itself, or comes later in the file. */
  | "parent_missing"
  /** It was made under the key of another ledger, where it says nothing here. */
  | "other_ledger"
  /** The route, field or dimension that it relies on isn't here in that version, or says something else. */
  | "definition_differs";

export interface LineReply {
  /** Place of the line in the request, from 0. */
  readonly index: number;
  readonly kind: string;
  readonly status: "imported" | "present" | "skipped" | "refused";
  readonly reason?: SkipReason;
  readonly refusal?: {
    readonly kind: ErrorKind;
    readonly field: string | null;
    readonly message: string;
  };
}

export interface LineTally {
  readonly imported: number;
  /** There already, under the same id. */
  readonly present: number;
  readonly skipped: number;
  readonly refused: number;
}

export function tally(lines: readonly LineReply[]): LineTally {
  const count = (status: LineReply["status"]) =>
    lines.filter((line) => line.status === status).length;
  return {
    imported: count("imported"),
    present: count("present"),
    skipped: count("skipped"),
    refused: count("refused"),
  };
}

/** Takes lines one by one: what is wrong with one is its own refusal, and sinks no other. */
export function refusedLine(index: number, kind: string, error: unknown): LineReply {
  if (!(error instanceof MunimentError)) throw error;
  const refusal = { kind: error.kind, field: error.field ?? null, message: error.message };
  return { index, kind, status: "refused", refusal };
}

export function skipped(
  { index, codec }: { readonly index: number; readonly codec: { readonly kind: string } },
  reason: SkipReason,
): LineReply {
  return { index, kind: codec.kind, status: "skipped", reason };
}
