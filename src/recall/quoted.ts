import { fold, spell } from "./fold.js";

const QUOTED = /["“”„«]([^"“”„«»]+)["“”»]/gu;
const WORD = /[\p{L}\p{M}\p{N}]/u;
/** Scripts without spaces: there a phrase begins and ends anywhere. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** True for a text that has all that a question quotes, word for word, but for case, diacritics and signs between words. */
export type SaysQuoted = (text: string) => boolean;

/** Null where the question quotes nothing. */
export function quotedIn(question: string): SaysQuoted | null {
  const phrases = Array.from(question.matchAll(QUOTED), ([, phrase = ""]) => wordsIn(phrase));
  const asked = phrases.filter((phrase) => phrase !== "");
  if (asked.length === 0) return null;
  return (text) => {
    const words = wordsIn(text);
    return asked.every((phrase) => standsIn(words, phrase));
  };
}

function wordsIn(text: string): string {
  return fold(spell(text))
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .join(" ")
    .trim();
}

function standsIn(words: string, phrase: string): boolean {
  for (let at = words.indexOf(phrase); at >= 0; at = words.indexOf(phrase, at + 1)) {
    if (isBorder(words, at - 1, at) && isBorder(words, at + phrase.length - 1, at + phrase.length))
      return true;
  }
  return false;
}

/** True where a word ends at the one place and another begins at the other. */
function isBorder(words: string, left: number, right: number): boolean {
  const [before, after] = [words[left] ?? " ", words[right] ?? " "];
  return !WORD.test(before) || !WORD.test(after) || (UNSPACED.test(before) && UNSPACED.test(after));
}
