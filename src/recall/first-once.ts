import { LIMITS } from "../domain/limits.js";
import { firstOf } from "./first-of.js";
import type { RecallFilter } from "./indexed-turn.js";

/** One of several that say the same, the first in order. */
export interface Once<Item> {
  readonly item: Item;
  /** How often it comes again among those that were looked at. */
  readonly repeats: number;
}

interface Order<Item> {
  readonly compare: (a: Item, b: Item) => number;
  /** The same for two that say the same. */
  readonly saidOf: (item: Item) => number;
}

/** The first of a list in order; where each is wanted once, what says the same as one before it is counted with that one. */
export function firstOnce<Item>(
  items: readonly Item[],
  { limit, eachOnce = false }: Pick<RecallFilter, "limit" | "eachOnce">,
  { compare, saidOf }: Order<Item>,
): readonly Once<Item>[] {
  if (!eachOnce) return firstOf(items, limit, compare).map((item) => ({ item, repeats: 0 }));
  const first = once(firstOf(items, limit + LIMITS.recallRepeatsMax, compare), saidOf);
  if (first.length >= limit || items.length <= limit + LIMITS.recallRepeatsMax)
    return first.slice(0, limit);
  // More says the same than is usual.
  return once(items.toSorted(compare), saidOf).slice(0, limit);
}

function once<Item>(
  inOrder: readonly Item[],
  saidOf: (item: Item) => number,
): readonly Once<Item>[] {
  const found = new Map<number, Once<Item>>();
  for (const item of inOrder) {
    const said = saidOf(item);
    const known = found.get(said);
    found.set(said, known ? { ...known, repeats: known.repeats + 1 } : { item, repeats: 0 });
  }
  return [...found.values()];
}
