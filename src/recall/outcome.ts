import type { ErrorKind } from "../domain/errors.js";

/**
 * How a recall ended. The first two are replies, the others refusals: nobody is resolved, or nothing could be searched.
 * INVARIANT: an empty result is never shown as proof that something wasn't said.
 */
export type RecallOutcome = "matches" | "no_matches" | "no_subject" | "unavailable";

/** What a recall looked at. All counts are turns that the caller may recall. */
export interface Coverage {
  /** Turns that were searched. */
  readonly searched: number;
  /** Turns that there are to search: `searched` plus those left out by a cap and those pending. */
  readonly of: number;
  /** True where older turns were left out: the subject has more than the index keeps, or more have a quoted phrase's words than are opened. */
  readonly capped: boolean;
  /** Turns that aren't searchable yet. */
  readonly pending: number;
}

/** What the caller does next, for each outcome. */
export const NEXT_STEP = {
  matches: "use the hits as quoted evidence, each with its source, speaker and time",
  no_matches:
    "ask with other words or ask the person: not found is not proof that it was never said",
  no_subject: "start a run for the person first: nobody is resolved here, so nothing was searched",
  unavailable: "try again later, or go on without recall and say so: nothing was searched",
} as const satisfies Readonly<Record<RecallOutcome, string>>;

/** The outcome that a refusal of this kind is; null where it is none of them. */
export function outcomeOfRefusal(kind: ErrorKind): RecallOutcome | null {
  if (kind === "not_found") return "no_subject";
  return kind === "unavailable" ? "unavailable" : null;
}

/** `pending`: turns of the caller's scope that the index has not taken in. */
export function withPending(coverage: Coverage, pending: number): Coverage {
  return { ...coverage, of: coverage.of + pending, pending: coverage.pending + pending };
}

/** `left`: how many beyond a cap weren't even read. */
export function withLeftOut(coverage: Coverage, left: number): Coverage {
  return { ...coverage, of: coverage.of + left, capped: coverage.capped || left > 0 };
}
