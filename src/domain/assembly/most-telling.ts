import { plainWords } from "../said.js";

/**
 * The first of the items in an order in which each says most that none before it says; of equals the later comes first. Whoever says one thing a
 * hundred times with other words around it keeps nothing else from being said among the first.
 */
export function mostTelling<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  max: number,
): readonly Item[] {
  const left = items
    .map((item) => ({ item, words: new Set(plainWords(textOf(item))), likeness: 0 }))
    .reverse();
  const ordered: Item[] = [];
  for (;;) {
    const least = Math.min(...left.map(({ likeness }) => likeness));
    const at = left.findIndex(({ likeness }) => likeness === least);
    const [next] = at < 0 ? [] : left.splice(at, 1);
    if (next === undefined || ordered.length === max) return ordered;
    ordered.push(next.item);
    for (const other of left)
      other.likeness = Math.max(other.likeness, likeness(next.words, other.words));
  }
}

/** Share of the words of either that both have. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 1 : shared / all;
}
