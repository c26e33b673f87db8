import { countOf, slotOf } from "./postings.js";

/** Saturation of a term's count. Chat turns are short, so a second mention says little. */
const K1 = 0.9;
/** How much long turns are held back. */
const B = 0.4;

/** What ranking sees of the index. Slots are places in its arrays. */
export interface Candidates {
  /** 1 where the turn in this slot may be recalled. INVARIANT: nothing else of an ineligible slot is read. */
  readonly eligible: Uint8Array;
  /** Eligible turns, and their mean length in terms. */
  readonly eligibleCount: number;
  readonly lengthMean: number;
  readonly lengths: readonly number[];
  /** Postings of each term of the question that the index knows. */
  readonly postings: readonly (readonly number[])[];
  /** Orders slots newest first; never 0 for two different slots. */
  readonly newestFirst: (a: number, b: number) => number;
}

export interface Ranked {
  readonly slot: number;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

export interface Ranking {
  /** Best first, at most as many as asked for. Equal scores: newer first. */
  readonly best: readonly Ranked[];
  readonly matched: number;
}

/** The one place that decides what comes first. BM25 over the eligible turns alone. */
export function rank(candidates: Candidates, limit: number, termsMax: number): Ranking {
  const { eligible, lengths, newestFirst } = candidates;
  const scores = new Float64Array(eligible.length);
  const matched: number[] = [];
  for (const { postings, found } of rarest(candidates, termsMax)) {
    const weight = inverseFrequency(found, candidates.eligibleCount);
    for (const posting of postings) {
      const slot = slotOf(posting);
      if (eligible[slot] !== 1) continue;
      const before = scores[slot] ?? 0;
      if (before === 0) matched.push(slot);
      const count = countOf(posting);
      const norm = K1 * (1 - B + (B * (lengths[slot] ?? 0)) / candidates.lengthMean);
      scores[slot] = before + (weight * count * (K1 + 1)) / (count + norm);
    }
  }
  const compare = (a: number, b: number): number =>
    (scores[b] ?? 0) - (scores[a] ?? 0) || newestFirst(a, b);
  const best = firstOf(matched, limit, compare).map((slot) => {
    const score = scores[slot] ?? 0;
    return { slot, score, parts: { bm25: score } };
  });
  return { best, matched: matched.length };
}

/** The first `limit` of a list in the order of `compare`, without sorting it whole. */
export function firstOf(
  slots: readonly number[],
  limit: number,
  compare: (a: number, b: number) => number,
): readonly number[] {
  if (limit <= 0) return [];
  const first: number[] = [];
  for (const slot of slots) {
    const last = first.at(-1);
    if (first.length >= limit) {
      if (last === undefined || compare(slot, last) > 0) continue;
      first.pop();
    }
    let at = first.length;
    while (at > 0 && compare(slot, first[at - 1] ?? slot) < 0) at -= 1;
    first.splice(at, 0, slot);
  }
  return first;
}

interface Found {
  readonly postings: readonly number[];
  readonly found: number;
}

/** Terms that stand in eligible turns; of more than `termsMax` the rarest, which tell most. */
function rarest({ postings, eligible }: Candidates, termsMax: number): readonly Found[] {
  const terms: Found[] = [];
  for (const list of postings) {
    let found = 0;
    for (const posting of list) found += eligible[slotOf(posting)] ?? 0;
    if (found > 0) terms.push({ postings: list, found });
  }
  if (terms.length <= termsMax) return terms;
  return terms.sort((a, b) => a.found - b.found).slice(0, termsMax);
}

function inverseFrequency(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}
