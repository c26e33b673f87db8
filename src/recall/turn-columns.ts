import type { TurnId } from "../domain/ids.js";

/** Turns by column, all of one length. A slot is a place in each. */
export interface TurnColumns {
  /** Null where a turn was removed. */
  readonly ids: (TurnId | null)[];
  readonly observedMs: number[];
  readonly evidenceMs: number[];
  readonly seqs: number[];
  readonly lengths: number[];
  readonly said: number[];
  /** Numbers of the turn's shelf, session and speaker (-1 where nobody is named). */
  readonly shelves: number[];
  readonly sessions: number[];
  readonly speakers: number[];
}

export function noColumns(): TurnColumns {
  return {
    ids: [],
    observedMs: [],
    evidenceMs: [],
    seqs: [],
    lengths: [],
    said: [],
    shelves: [],
    sessions: [],
    speakers: [],
  };
}

/** The columns without the slots of removed turns. */
export function withoutGaps(columns: TurnColumns): TurnColumns {
  const { ids } = columns;
  const kept = <T>(column: readonly T[]): T[] => column.filter((_, slot) => ids[slot] !== null);
  return {
    ids: kept(ids),
    observedMs: kept(columns.observedMs),
    evidenceMs: kept(columns.evidenceMs),
    seqs: kept(columns.seqs),
    lengths: kept(columns.lengths),
    said: kept(columns.said),
    shelves: kept(columns.shelves),
    sessions: kept(columns.sessions),
    speakers: kept(columns.speakers),
  };
}
