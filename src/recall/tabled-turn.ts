import type { IndexedTurn } from "./indexed-turn.js";

/** What the table keeps of a turn; its terms stand elsewhere. */
export type TabledTurn = Omit<IndexedTurn, "terms" | "evidenceUntil"> & {
  readonly evidenceUntil: Date;
  /** Terms of the turn, repeats included. */
  readonly length: number;
};

export interface Eligible {
  /** 1 in the slots of turns that may be recalled. */
  readonly flags: Uint8Array;
  readonly count: number;
  /** Mean length in terms; 1 where there are none. */
  readonly lengthMean: number;
}
