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

/** Makes what is the same for each search of the same eligible turns once for all of them. */
export function oncePerEligible<Made>(
  make: (searched: Searched) => Made,
): (searched: Searched) => Made {
  const made = new WeakMap<Eligible, { readonly one: Made }>();
  return (searched) => {
    const known = made.get(searched.eligible) ?? { one: make(searched) };
    made.set(searched.eligible, known);
    return known.one;
  };
}
