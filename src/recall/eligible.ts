import type { TurnColumns } from "./turn-columns.js";

/** The turns that a search may touch. Never changed once made. */
export interface Eligible {
  /** 1 in the slots of turns that may be recalled. */
  readonly flags: Uint8Array;
  readonly count: number;
  /** Mean length in terms; 1 where there are none. */
  readonly lengthMean: number;
  /** When the first of them stops being evidence, in milliseconds since 1970. */
  readonly firstEndMs: number;
}

/** What a turn has to be: on one of these shelves, evidence now, and of those that the question itself asks for. */
export interface Eligibility {
  /** By number. */
  readonly shelves: readonly boolean[];
  readonly nowMs: number;
  /** Null where it isn't narrowed. */
  readonly isAskedFor: ((session: number, observedMs: number) => boolean) | null;
}

/** INVARIANT: the one place that decides which turns a search may touch. */
function eligibleOf(columns: TurnColumns, wanted: Eligibility): Eligible {
  const { ids, evidenceMs, shelves, lengths, sessions, observedMs } = columns;
  const flags = new Uint8Array(ids.length);
  let count = 0;
  let length = 0;
  let firstEndMs = Number.POSITIVE_INFINITY;
  for (let slot = 0; slot < flags.length; slot += 1) {
    const endMs = evidenceMs[slot] ?? 0;
    if (endMs <= wanted.nowMs || ids[slot] === null) continue;
    if (wanted.shelves[shelves[slot] ?? -1] !== true) continue;
    if (wanted.isAskedFor?.(sessions[slot] ?? -1, observedMs[slot] ?? 0) === false) continue;
    flags[slot] = 1;
    count += 1;
    length += lengths[slot] ?? 0;
    if (endMs < firstEndMs) firstEndMs = endMs;
  }
  return { flags, count, lengthMean: length > 0 ? length / count : 1, firstEndMs };
}

/** The last ones that weren't narrowed: most recalls ask for the same. Made anew where turns came, went or ended since. */
export class KeptEligible {
  #kept: { readonly shelves: string; readonly fromMs: number; readonly eligible: Eligible } | null =
    null;

  of(columns: TurnColumns, wanted: Eligibility): Eligible {
    if (wanted.isAskedFor !== null) return eligibleOf(columns, wanted);
    const kept = this.#kept;
    const { nowMs } = wanted;
    const shelves = wanted.shelves.join();
    const isInTime = kept !== null && kept.fromMs <= nowMs && nowMs < kept.eligible.firstEndMs;
    if (isInTime && kept.shelves === shelves) return kept.eligible;
    const eligible = eligibleOf(columns, wanted);
    this.#kept = { shelves, fromMs: nowMs, eligible };
    return eligible;
  }

  /** Whoever changes the columns calls it. */
  forget(): void {
    this.#kept = null;
  }
}
