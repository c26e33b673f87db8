/** The analyser's version. Stored with the terms: terms of another version are made again from the text. */
export const ANALYSER_VERSION = 1;

/** The search terms of one text: no term has a space in it. */
export interface Terms {
  /** How often each term stands in the text. */
  readonly counts: ReadonlyMap<string, number>;
  /** Terms of the text, repeats included. */
  readonly length: number;
}

/** One line of JSON to seal with the row: terms grouped by how often they stand in the text. */
export function encodeTerms(terms: Terms): string {
  const groups = new Map<number, string[]>();
  for (const [term, count] of terms.counts) {
    const group = groups.get(count);
    if (group === undefined) groups.set(count, [term]);
    else group.push(term);
  }
  const joined = [...groups].map(([count, list]) => [count, list.join(" ")]);
  return JSON.stringify({ v: ANALYSER_VERSION, n: terms.length, t: joined });
}

interface Encoded {
  readonly v: number;
  readonly n: number;
  readonly t: readonly (readonly [count: number, terms: string])[];
}

/** Null where another version of the analyser made the terms: analyse the text again. */
export function decodeTerms(encoded: string): Terms | null {
  const { v, n, t } = JSON.parse(encoded) as Encoded;
  if (v !== ANALYSER_VERSION) return null;
  const counts = new Map<string, number>();
  for (const [count, list] of t) {
    for (const term of list.split(" ")) counts.set(term, count);
  }
  return { counts, length: n };
}
