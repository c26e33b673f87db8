import { LIMITS } from "../domain/limits.js";
import type { Postings } from "./postings.js";
import type { Eligible, TurnTable } from "./turn-table.js";
import type { Word } from "./word.js";

/** Saturation of a word's count. Chat turns are short, so a second mention says little. */
const K1 = 0.9;
/** How much long turns are held back. */
const B = 0.4;
/** What all pieces of a word count together, beside the word itself. */
const PIECES_WEIGHT = 0.4;
/** What the spelling as it is written counts, beside the word itself. */
const EXACT_WEIGHT = 0.2;

/** What ranking sees of the index. INVARIANT: only eligible slots are scored, counted or compared. */
export interface Searched {
  readonly eligible: Eligible;
  readonly turns: TurnTable;
  readonly postings: Postings;
}

/** How well turns match the words of a question. */
export interface Scores {
  /** By slot; 0 where nothing matches. */
  readonly scores: Float64Array;
  /** The slots that have a score. */
  readonly matched: readonly number[];
}

/** BM25 over the eligible turns alone. */
export function scoreWords(searched: Searched, words: readonly Word[]): Scores {
  const { flags, count, lengthMean } = searched.eligible;
  const scores = new Float64Array(flags.length);
  const matched: number[] = [];
  for (const { slots, times, found } of rarest(searched, words)) {
    const weight = Math.log(1 + (count - found + 0.5) / (found + 0.5));
    for (const [at, slot] of slots.entries()) {
      const before = scores[slot] ?? 0;
      if (before === 0) matched.push(slot);
      const norm = K1 * (1 - B + (B * searched.turns.length(slot)) / lengthMean);
      const stands = times[at] ?? 0;
      scores[slot] = before + (weight * stands * (K1 + 1)) / (stands + norm);
    }
  }
  return { scores, matched };
}

/** A word as it stands in the eligible turns. */
interface FoundWord {
  readonly slots: readonly number[];
  /** How often it stands in the turn at the same place of `slots`; parts of once where only pieces do. */
  readonly times: readonly number[];
  /** Turns that it stands in; one that has a part of it counts in part. */
  readonly found: number;
}

/** Words that stand in eligible turns; of too many the rarest, which tell most. */
function rarest(searched: Searched, words: readonly Word[]): readonly FoundWord[] {
  const times = new Float64Array(searched.eligible.flags.length);
  const found = words
    .map((word) => findWord(searched, word, times))
    .filter(({ slots }) => slots.length > 0);
  if (found.length <= LIMITS.queryTermsMax) return found;
  return found.sort((a, b) => a.found - b.found).slice(0, LIMITS.queryTermsMax);
}

/** `times` is zero everywhere, and is again when it returns. */
function findWord(
  { eligible: { flags }, postings }: Searched,
  { forms, exact, pieces }: Word,
  times: Float64Array,
): FoundWord {
  const slots: number[] = [];
  const add = (term: string, weigh: (before: number, count: number) => number): void => {
    const found = postings.find(term);
    for (let at = 0; at < found.slots.length; at += 1) {
      const slot = found.slots[at] ?? 0;
      if (flags[slot] !== 1) continue;
      const before = times[slot] ?? 0;
      if (before === 0) slots.push(slot);
      times[slot] = weigh(before, found.counts[at] ?? 0);
    }
  };
  for (const form of forms) add(form, (before, count) => before + count);
  if (exact !== null) add(exact, (before, count) => before + count * EXACT_WEIGHT);
  const part = PIECES_WEIGHT / Math.max(1, pieces.length);
  // A turn that has the whole word has its pieces too.
  for (const piece of pieces) add(piece, (before) => (before >= 1 ? before : before + part));
  const counts = slots.map((slot) => times[slot] ?? 0);
  for (const slot of slots) times[slot] = 0;
  return { slots, times: counts, found: counts.reduce((sum, own) => sum + Math.min(1, own), 0) };
}
