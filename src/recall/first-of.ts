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
    first.splice(placeOf(item, first, compare), 0, item);
  }
  return first;
}

/** Where it goes among what is in order: behind those that are equal. */
function placeOf<Item>(
  item: Item,
  inOrder: readonly Item[],
  compare: (a: Item, b: Item) => number,
): number {
  let low = 0;
  let high = inOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(item, inOrder[middle] as Item) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
