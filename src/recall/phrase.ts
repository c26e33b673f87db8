import { askedWords } from "./analyse.js";
import { firstOnce, type Once } from "./first-once.js";
import { type FoundWord, findWords } from "./found-word.js";
import type { RecallFilter } from "./indexed-turn.js";
import type { Searched } from "./searched.js";
import { languagesOf } from "./spoken.js";

/** The turns that have every word of a question, newest first. Nothing else about them counts. */
export function newestWithAll(
  searched: Searched,
  question: string,
  filter: RecallFilter,
): readonly Once<number>[] {
  const words = askedWords(question, languagesOf(searched));
  const found = findWords(searched, words);
  const telling = found.filter((_, at) => words[at]?.isFiller !== true);
  const [first, ...others] = (telling.length > 0 ? telling : found).map(wholeIn);
  const slots = [...(first ?? [])].filter((slot) => others.every((other) => other.has(slot)));
  const { turns } = searched;
  return firstOnce(slots, filter, {
    compare: turns.newestFirst,
    saidOf: (slot) => turns.said(slot),
  });
}

/** Where the word itself stands: pieces of it make less than one. */
function wholeIn({ slots, times }: FoundWord): ReadonlySet<number> {
  return new Set(slots.filter((_, at) => (times[at] ?? 0) >= 1));
}
