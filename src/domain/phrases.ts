import { UNSPACED } from "./quote.js";
import { inOneGo, type Steps } from "./steps.js";

/** Phrases that are looked for in many texts. */
export interface Phrases {
  /** True where one of them stands in a text. */
  standIn(text: string): boolean;
  /** Those that stand in a text, folded. */
  foundIn(text: string): ReadonlySet<string>;
}

// Not \b: a phrase may begin or end with a letter that JavaScript doesn't take for one.
const LETTER_BEFORE = /[\p{L}\p{M}\p{N}]$/u;
const LETTER_BEHIND = /^[\p{L}\p{N}]/u;

/**
 * Phrases are found as whole words, whatever the case; `*` at an end of one stands for any letters. They are looked up and make no regular
 * expression: a tenant may bring thousands, and compiling these would hold the whole process for seconds.
 */
export function createPhrases(phrases: Iterable<string>): Phrases {
  return inOneGo(indexPhrases(phrases));
}

/** The same, phrase by phrase. */
export function* indexPhrases(phrases: Iterable<string>): Steps<Phrases> {
  /** By the words that have to stand there. */
  const forms = new Map<string, Set<string>>();
  /** By the first unit of the words: their lengths are all that has to be tried where it stands. */
  const lengths = new Map<string, Set<number>>();
  for (const phrase of phrases) {
    yield;
    const folded = foldPhrase(phrase);
    const words = wordsIn(folded);
    add(forms, words, folded);
    add(lengths, words.slice(0, 1), words.length);
  }
  function* found(given: string): Generator<string> {
    const text = foldPhrase(given);
    for (let start = 0; start < text.length; start += 1)
      for (const length of lengths.get(text.charAt(start)) ?? []) {
        const end = start + length;
        for (const phrase of forms.get(text.slice(start, end)) ?? [])
          if (isWhole(phrase, text, start, end)) yield phrase;
      }
  }
  return {
    standIn: (text) => found(text).next().done === false,
    foundIn: (text) => new Set(found(text)),
  };
}

/** The one spelling of phrases that find the same. */
export function foldPhrase(phrase: string): string {
  return (
    phrase
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/[\u2018\u2019]/g, "'")
      .replaceAll(/[\u201c\u201d]/g, '"')
      // The same letter, at the end of a word.
      .replaceAll("ς", "σ")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}

function wordsIn(phrase: string): string {
  return phrase.replace(/^\*/, "").replace(/\*$/, "");
}

function add<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([item]));
  else set.add(item);
}

/** Where words have no spaces between them a phrase begins and ends wherever it stands. */
function isWhole(phrase: string, text: string, start: number, end: number): boolean {
  const isOpenBefore = phrase.startsWith("*") || UNSPACED.test(text.charAt(start));
  const isOpenBehind = phrase.endsWith("*") || UNSPACED.test(text.charAt(end - 1));
  return (
    (isOpenBefore || !LETTER_BEFORE.test(text.slice(Math.max(0, start - 2), start))) &&
    (isOpenBehind || !LETTER_BEHIND.test(text.slice(end, end + 2)))
  );
}
