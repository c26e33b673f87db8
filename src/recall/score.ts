import { type FoundWord, findWords, rarest, rarity } from "./found-word.js";
import type { Searched } from "./searched.js";
import type { Word } from "./word.js";

/** Saturation of a word's count. Chat turns are short, so a second mention says little. */
const K1 = 0.9;
/** How much long turns are held back. */
const B = 0.4;
/** Rare words that a question asks for at most: who sends a page asks for something in it, not for all of it. */
const ASKED_WORDS_MAX = 6;

/** How well turns match the words of a question. */
export interface Scores {
  /** By slot; 0 where nothing matches. Whole for those that matched and the turns beside them. */
  readonly scores: Float64Array;
  /** The slots that have a score, without those that are surely not among the best. */
  readonly matched: readonly number[];
  /** What a turn with all that the question asks for would get; of a long question, with some of it. */
  readonly possible: number;
  /** The part of each score that comes from what the turn means; absent where words alone decide. */
  readonly meaning?: Float64Array;
}

/** Best matches that are looked at again, with the turns beside them. */
export const CANDIDATES_MAX = 200;

/** A word that this many times more turns have than are looked at again is worth asking whether it can change them. */
const COMMON = 4;
/** Matches that the least of the best is estimated from: any will do, the first ones have the rarest words. */
const SAMPLED_MAX = 2_048;
/** Sums of the same numbers differ by less than this share of them, whatever their order. */
const ROUNDING = 1e-9;

/**
 * BM25 over the eligible turns alone, rarest word first. Once the words that are left can't lift any further turn among
 * the `wanted` best, they are counted in the turns that still can be, and beside those, alone: so a common word costs no more than it tells.
 * INVARIANT: the best, their scores and those beside them are what they would be were every turn scored.
 */
export function scoreWords(
  searched: Searched,
  words: readonly Word[],
  wanted: number = CANDIDATES_MAX,
): Scores {
  const { count } = searched.eligible;
  const all = findWords(searched, words);
  const asked = all.reduce((sum, { found }) => sum + rarity(found, count), 0);
  const possible = Math.min(asked, ASKED_WORDS_MAX * rarity(0, count));
  const scores = new Float64Array(searched.eligible.flags.length);
  const matched: number[] = [];
  const rare = rarest(all);
  for (const [at, word] of rare.entries()) {
    const left = rare.slice(at);
    const still =
      word.slots.length > COMMON * wanted
        ? contenders(searched, left, { scores, matched }, wanted)
        : null;
    if (still !== null) {
      const reached = withNeighbours(searched, still);
      for (const one of left) addWord(searched, one, scores, (slot) => reached[slot] === 1);
      return { scores, matched: still, possible };
    }
    addWord(searched, word, scores, (slot) => {
      if (scores[slot] === 0) matched.push(slot);
      return true;
    });
  }
  return { scores, matched, possible };
}

/** Adds what a word is worth to the turns that it stands in, where it shall. */
function addWord(
  { eligible: { count, lengthMean }, turns }: Searched,
  { slots, times, found }: FoundWord,
  scores: Float64Array,
  shall: (slot: number) => boolean,
): void {
  const weight = rarity(found, count);
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (!shall(slot)) continue;
    const norm = K1 * (1 - B + (B * turns.length(slot)) / lengthMean);
    const stands = times[at] ?? 0;
    scores[slot] = (scores[slot] ?? 0) + (weight * stands * (K1 + 1)) / (stands + norm);
  }
}

/** Of the turns that matched so far those that may be among the best; null where others may be, too. */
function contenders(
  { eligible: { count } }: Searched,
  left: readonly FoundWord[],
  { scores, matched }: Pick<Scores, "scores" | "matched">,
  wanted: number,
): readonly number[] | null {
  if (matched.length < wanted) return null;
  const most = left.reduce((sum, { timesMax: times, found }) => {
    return sum + (rarity(found, count) * times * (K1 + 1)) / (times + K1 * (1 - B));
  }, 0);
  const sample = Float64Array.from(matched.slice(0, SAMPLED_MAX), (slot) => scores[slot] ?? 0);
  // Cheaper than to sort them, and mostly enough to tell.
  if (most >= bestOf(sample)) return null;
  const least = (sample.sort()[sample.length - wanted] ?? 0) * (1 - ROUNDING);
  if (most >= least) return null;
  return matched.filter((slot) => (scores[slot] ?? 0) + most >= least);
}

/** Flags the slots and those beside them. */
function withNeighbours(
  { turns, eligible: { flags } }: Searched,
  slots: readonly number[],
): Uint8Array {
  const reached = new Uint8Array(flags.length);
  for (const slot of slots) {
    for (const one of [slot, turns.beside(slot, -1, flags), turns.beside(slot, 1, flags)])
      if (one >= 0) reached[one] = 1;
  }
  return reached;
}

/** The largest of them; 0 where none is above it. */
export function bestOf(values: Float64Array): number {
  let best = 0;
  // Far quicker than to iterate over them.
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (value > best) best = value;
  }
  return best;
}
