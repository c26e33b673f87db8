/** The first `limit` of a list in the order of `compare`, without sorting it whole. */
export function firstOf<Item>(
  items: readonly Item[],
  limit: number,
  compare: (a: Item, b: Item) => number,
): readonly Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length >= limit) {
      const last = first.at(-1);
      if (last === undefined || compare(item, last) > 0) continue;
      first.pop();
    }
    let at = first.length;
    while (at > 0 && compare(item, first[at - 1] as Item) < 0) at -= 1;
    first.splice(at, 0, item);
  }
  return first;
}
