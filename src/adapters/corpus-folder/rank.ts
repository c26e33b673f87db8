/** A passage with its terms counted. */
export interface Ranked<Item> {
  readonly item: Item;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const K1 = 1.2;
const B = 0.75;

export function countTerms<Item>(item: Item, terms: readonly string[]): Ranked<Item> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { item, counts, length: terms.length };
}

/**
 * BM25 over what the caller may read and nothing else: how often a word stands in other documents would tell of them.
 * Best first; what shares no term with the question isn't in it.
 */
export function rank<Item>(
  readable: readonly Ranked<Item>[],
  question: readonly string[],
): readonly { readonly item: Item; readonly score: number }[] {
  const total = readable.reduce((sum, { length }) => sum + length, 0);
  const average = Math.max(1, total / Math.max(1, readable.length));
  const weights = [...new Set(question)].map((term) => {
    const holders = readable.filter(({ counts }) => counts.has(term)).length;
    return { term, weight: Math.log(1 + (readable.length - holders + 0.5) / (holders + 0.5)) };
  });
  return readable
    .map(({ item, counts, length }) => {
      const parts = weights.map(({ term, weight }) => {
        const count = counts.get(term) ?? 0;
        return (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
      });
      return { item, score: parts.reduce((sum, part) => sum + part, 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}
