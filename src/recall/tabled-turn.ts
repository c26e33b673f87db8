import type { IndexedTurn } from "./indexed-turn.js";

/** What the table keeps of a turn; its terms stand elsewhere. */
export type TabledTurn = Omit<IndexedTurn, "terms" | "evidenceUntil"> & {
  readonly evidenceUntil: Date;
  /** Terms of the turn, repeats included. */
  readonly length: number;
  /** As its terms tell what was said by whom. */
  readonly said: number;
};
