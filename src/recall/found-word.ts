import { LIMITS } from "../domain/limits.js";
import type { FoundTerm } from "./postings.js";
import type { Searched } from "./searched.js";
import type { Word } from "./word.js";

/** What all pieces of a word count together, beside the word itself. */
const PIECES_WEIGHT = 0.7;
/** What the spelling as it is written counts, beside the word itself. */
const EXACT_WEIGHT = 0.2;

/** A word as it stands in the eligible turns. */
export interface FoundWord {
  readonly slots: readonly number[];
  /** How often it stands in the turn at the same place of `slots`; parts of once where only pieces do. */
  readonly times: Float64Array;
  /** The most of `times`. */
  readonly timesMax: number;
  /** Turns that it stands in; one that has a part of it counts in part. */
  readonly found: number;
}

export function findWords(searched: Searched, words: readonly Word[]): readonly FoundWord[] {
  const times = new Float64Array(searched.eligible.flags.length);
  return words.map((word) => findWord(searched, word, times));
}

/** Words that stand in eligible turns, rarest first; of too many the rarest, which tell most. */
export function rarest(words: readonly FoundWord[]): readonly FoundWord[] {
  const found = words.filter(({ slots }) => slots.length > 0);
  return found.sort((a, b) => a.found - b.found).slice(0, LIMITS.queryTermsMax);
}

/** `times` is zero everywhere, and is again when it returns. */
function findWord(searched: Searched, word: Word, times: Float64Array): FoundWord {
  const slots: number[] = [];
  const add = (
    { slots: own, counts }: FoundTerm,
    weigh: (before: number, count: number) => number,
  ) => {
    for (let at = 0; at < own.length; at += 1) {
      const slot = own[at] ?? 0;
      const before = times[slot] ?? 0;
      if (before === 0) slots.push(slot);
      times[slot] = weigh(before, counts[at] ?? 0);
    }
  };
  for (const form of word.forms) add(findTerm(searched, form), (before, count) => before + count);
  if (word.exact !== null)
    add(findTerm(searched, word.exact), (before, count) => before + count * EXACT_WEIGHT);
  for (const { found, share } of weighPieces(searched, word.pieces)) {
    // A turn that has the whole word has its pieces too.
    add(found, (before) => (before >= 1 ? before : before + PIECES_WEIGHT * share));
  }
  const counts = new Float64Array(slots.length);
  let timesMax = 0;
  let found = 0;
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    const own = times[slot] ?? 0;
    counts[at] = own;
    if (own > timesMax) timesMax = own;
    found += Math.min(1, own);
    times[slot] = 0;
  }
  return { slots, times: counts, timesMax, found };
}

/** Pieces with their shares of the word. One that many turns have is an ending, and tells little of the word. */
function weighPieces(
  searched: Searched,
  pieces: readonly string[],
): readonly { readonly found: FoundTerm; readonly share: number }[] {
  const all = pieces.map((piece) => {
    const found = findTerm(searched, piece);
    return { found, weight: rarity(found.slots.length, searched.eligible.count) };
  });
  const whole = all.reduce((sum, { weight }) => sum + weight, 0);
  return all.map(({ found, weight }) => ({ found, share: weight / whole }));
}

/** Where a term stands in eligible turns. */
function findTerm({ eligible: { flags }, postings }: Searched, term: string): FoundTerm {
  const { slots, counts } = postings.find(term);
  let kept = 0;
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (flags[slot] !== 1) continue;
    slots[kept] = slot;
    counts[kept] = counts[at] ?? 0;
    kept += 1;
  }
  return { slots: slots.subarray(0, kept), counts: counts.subarray(0, kept) };
}

/** How much it tells that something stands in a turn, where it stands in `found` of them all. */
export function rarity(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}
