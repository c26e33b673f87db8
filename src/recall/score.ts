import { LIMITS } from "../domain/limits.js";
import type { FoundTerm } from "./postings.js";
import type { Eligible, TurnTable } from "./turn-table.js";

/** Saturation of a term's count. Chat turns are short, so a second mention says little. */
const K1 = 0.9;
/** How much long turns are held back. */
const B = 0.4;
/** A word of eight letters has five pieces: together they would outweigh it. */
const PIECE_WEIGHT = 0.4;

/** What ranking sees of the index. INVARIANT: only eligible slots are scored, counted or compared. */
export interface Searched {
  readonly eligible: Eligible;
  readonly turns: TurnTable;
  /** The question's terms that the index knows. */
  readonly terms: readonly FoundTerm[];
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
export function rank({ eligible, turns, terms }: Searched, limit: number): Ranking {
  const { flags, count, lengthMean } = eligible;
  const scores = new Float64Array(flags.length);
  const matched: number[] = [];
  for (const { slots, counts, isPiece, found } of rarest(terms, flags)) {
    const weight = inverseFrequency(found, count) * (isPiece ? PIECE_WEIGHT : 1);
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      if (flags[slot] !== 1) continue;
      const before = scores[slot] ?? 0;
      if (before === 0) matched.push(slot);
      const times = counts[at] ?? 0;
      const norm = K1 * (1 - B + (B * turns.length(slot)) / lengthMean);
      scores[slot] = before + (weight * times * (K1 + 1)) / (times + norm);
    }
  }
  const best = firstOf(
    matched,
    limit,
    (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || turns.newestFirst(a, b),
  );
  return { best: best.map((slot) => ranked(slot, scores[slot] ?? 0)), matched: matched.length };
}

/** What there is to show where a question names nothing to look for. */
export function newest({ eligible, turns }: Searched, limit: number): Ranking {
  const slots: number[] = [];
  for (const [slot, flag] of eligible.flags.entries()) {
    if (flag === 1) slots.push(slot);
  }
  const best = firstOf(slots, limit, turns.newestFirst);
  return { best: best.map((slot) => ({ slot, score: 0, parts: {} })), matched: slots.length };
}

function ranked(slot: number, score: number): Ranked {
  return { slot, score, parts: { bm25: score } };
}

/** The first `limit` of a list in the order of `compare`, without sorting it whole. */
function firstOf(
  slots: readonly number[],
  limit: number,
  compare: (a: number, b: number) => number,
): readonly number[] {
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

interface EligibleTerm extends FoundTerm {
  /** Eligible turns that it stands in. */
  readonly found: number;
}

/** Terms that stand in eligible turns; of too many the rarest, which tell most. */
function rarest(terms: readonly FoundTerm[], flags: Uint8Array): readonly EligibleTerm[] {
  const counted: EligibleTerm[] = [];
  for (const term of terms) {
    let found = 0;
    for (const slot of term.slots) found += flags[slot] ?? 0;
    if (found > 0) counted.push({ ...term, found });
  }
  if (counted.length <= LIMITS.queryTermsMax) return counted;
  return counted.sort((a, b) => a.found - b.found).slice(0, LIMITS.queryTermsMax);
}

function inverseFrequency(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}
