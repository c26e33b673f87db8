import type { Eligible } from "./eligible.js";
import type { Postings } from "./postings.js";
import type { TurnTable } from "./turn-table.js";

/** What ranking sees of the index. INVARIANT: only eligible slots are scored, counted or compared. */
export interface Searched {
  readonly eligible: Eligible;
  readonly turns: TurnTable;
  readonly postings: Postings;
  /** By slot, how like the turn's meaning is to the question's; null where nobody can tell. */
  readonly likeness: Float64Array | null;
}
