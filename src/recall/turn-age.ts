import type { TurnId } from "../domain/ids.js";

/** What orders turns by age. */
export interface Age {
  readonly id: TurnId;
  /** Milliseconds since 1970. */
  readonly observedMs: number;
  readonly seq: number;
}

/** Orders turns; never 0 for two of them. */
export function newestFirst(a: Age, b: Age): number {
  return b.observedMs - a.observedMs || b.seq - a.seq || (a.id < b.id ? 1 : -1);
}
