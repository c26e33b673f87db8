import { LIMITS } from "../domain/limits.js";
import type { FoundTerm, Postings } from "./postings.js";
import type { Eligible } from "./tabled-turn.js";
import type { TurnTable } from "./turn-table.js";
import type { Word } from "./word.js";

/** Saturation of a word's count. Chat turns are short, so a second mention says little. */
const K1 = 0.9;
/** How much long turns are held back. */
const B = 0.4;
/** What all pieces of a word count together, beside the word itself. */
const PIECES_WEIGHT = 0.7;
/** What the spelling as it is written counts, beside the word itself. */
const EXACT_WEIGHT = 0.2;

/** Rare words that a question asks for at most: who sends a page asks for something in it, not for all of it. */
const ASKED_WORDS_MAX = 6;

/** What ranking sees of the index. INVARIANT: only eligible slots are scored, counted or compared. */
export interface Searched {
  readonly eligible: Eligible;
  readonly turns: TurnTable;
  readonly postings: Postings;
  /** By slot, how like the turn's meaning is to the question's; null where nobody can tell. */
  readonly likeness: Float64Array | null;
}

/** How well turns match the words of a question. */
export interface Scores {
  /** By slot; 0 where nothing matches. */
  readonly scores: Float64Array;
  /** The slots that have a score. */
  readonly matched: readonly number[];
  /** What a turn with all that the question asks for would get; of a long question, with some of it. */
  readonly possible: number;
  /** The part of each score that comes from what the turn means; absent where words alone decide. */
  readonly meaning?: Float64Array;
}

/** BM25 over the eligible turns alone. */
export function scoreWords(searched: Searched, words: readonly Word[]): Scores {
  const { flags, count, lengthMean } = searched.eligible;
  const scores = new Float64Array(flags.length);
  const matched: number[] = [];
  const all = findWords(searched, words);
  for (const { slots, times, found } of rarest(all)) {
    const weight = rarity(found, count);
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] ?? 0;
      const before = scores[slot] ?? 0;
      if (before === 0) matched.push(slot);
      const norm = K1 * (1 - B + (B * searched.turns.length(slot)) / lengthMean);
      const stands = times[at] ?? 0;
      scores[slot] = before + (weight * stands * (K1 + 1)) / (stands + norm);
    }
  }
  const asked = all.reduce((sum, { found }) => sum + rarity(found, count), 0);
  return { scores, matched, possible: Math.min(asked, ASKED_WORDS_MAX * rarity(0, count)) };
}

/** A word as it stands in the eligible turns. */
interface FoundWord {
  readonly slots: readonly number[];
  /** How often it stands in the turn at the same place of `slots`; parts of once where only pieces do. */
  readonly times: readonly number[];
  /** Turns that it stands in; one that has a part of it counts in part. */
  readonly found: number;
}

function findWords(searched: Searched, words: readonly Word[]): readonly FoundWord[] {
  const times = new Float64Array(searched.eligible.flags.length);
  return words.map((word) => findWord(searched, word, times));
}

/** Words that stand in eligible turns; of too many the rarest, which tell most. */
function rarest(words: readonly FoundWord[]): readonly FoundWord[] {
  const found = words.filter(({ slots }) => slots.length > 0);
  if (found.length <= LIMITS.queryTermsMax) return found;
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
  const counts = slots.map((slot) => times[slot] ?? 0);
  for (const slot of slots) times[slot] = 0;
  return { slots, times: counts, found: counts.reduce((sum, own) => sum + Math.min(1, own), 0) };
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
function rarity(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}
