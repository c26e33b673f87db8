import { LIMITS } from "../domain/limits.js";
import { fold } from "./fold.js";
import { isStopWord, isStopWordSomewhere, stem } from "./languages.js";
import { exactTerm, pieceTerm } from "./terms.js";
import { type EmitWord, type Reading, type TextLanguage, wholeWord } from "./word.js";

/** Letters of a piece. A word of just as many is its own piece, so that `walk` meets `walking`. */
export const GRAM = 4;
/** Letters of a piece in scripts that write a syllable with one letter, or no short vowels: their words are short. */
const SHORT_GRAM = 3;
const SHORT =
  /[\p{scx=Arab}\p{scx=Hebr}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Ethi}]/u;
/** Scripts of the languages that are stemmed. */
const STEMMED = /^[\p{scx=Latn}\p{scx=Cyrl}]/u;
const HAS_NUMBER = /\p{N}/u;
const HAS_PAIRS = /[\ud800-\udfff]/;
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Stretches of a word by how their script parts words: Han and Kana, Hangul, South-East Asia, all others. */
const STRETCH =
  /([\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+)|(\p{scx=Hang}+)|([\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+)|((?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]).)+)/gsu;

/** Emits the words in one run of letters. */
export function emitWords(run: string, reading: Reading, emit: EmitWord): void {
  if (!UNSPACED.test(run)) {
    emitSpaced(run, reading, emit);
    return;
  }
  for (const [, han, hangul, southEast, spaced] of run.matchAll(STRETCH)) {
    if (han !== undefined) {
      for (const gram of [...grams(han, 1), ...grams(han, 2)]) emit(wholeWord(gram));
    } else if (hangul !== undefined) {
      const whole = hangul.slice(0, LIMITS.wordCharsMax);
      emit({ forms: [whole], exact: null, pieces: grams(hangul, 2).map(pieceTerm) });
    } else if (southEast !== undefined) {
      if (southEast.length < 3) emit(wholeWord(southEast));
      for (const gram of grams(southEast, 3)) emit(wholeWord(gram));
    } else if (spaced !== undefined) {
      emitSpaced(spaced, reading, emit);
    }
  }
}

function emitSpaced(run: string, { language, readAs }: Reading, emit: EmitWord): void {
  for (const spelled of cut(run)) {
    const word = fold(spelled);
    if (word === "") continue;
    if (HAS_NUMBER.test(word)) {
      emit(wholeWord(word));
      emitSides(word, emit);
      continue;
    }
    if (language !== null && isStopWord(word, language)) continue;
    const meant = readAs.filter((as) => as === null || !isStopWord(word, as));
    if (meant.length === 0) continue;
    const forms = meant.map((as) => (as === null ? word : stem(word, as)));
    const size = SHORT.test(word) ? SHORT_GRAM : GRAM;
    emit({
      forms: [...new Set(forms)],
      exact: isExactTold(forms, spelled, readAs) ? exactTerm(spelled) : null,
      pieces: meant.includes(null) ? grams(word, size).map(pieceTerm) : [],
      isFiller: language === null && isStopWordSomewhere(word),
    });
  }
}

/**
 * A stem says less than its word. Where the language is unknown the whole word stands as a form, but a question asked in
 * a known one gives its exact spelling beside the stem: both kinds of turns must have it to be found alike.
 */
function isExactTold(
  forms: readonly string[],
  spelled: string,
  readAs: readonly TextLanguage[],
): boolean {
  const isUnknown = readAs.every((as) => as === null);
  return forms.some((form) => form !== spelled) || (isUnknown && STEMMED.test(spelled));
}

function cut(word: string): readonly string[] {
  if (word.length <= LIMITS.wordCharsMax) return [word];
  const letters = Array.from(word);
  const size = HAS_PAIRS.test(word) ? LIMITS.wordCharsMax / 2 : LIMITS.wordCharsMax;
  const count = Math.ceil(letters.length / size);
  return Array.from({ length: count }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(""),
  );
}

/** `e1042` is found as 1042 too. No grams: numbers that look alike are not alike. */
function emitSides(text: string, emit: EmitWord): void {
  const sides = text.match(/\p{N}+|\P{N}+/gu) ?? [];
  if (sides.length > 1) for (const side of sides) emit(wholeWord(side));
}

/** Every different stretch of `size` letters. A surrogate pair is one letter. */
function grams(text: string, size: number): readonly string[] {
  const found = new Set<string>();
  if (HAS_PAIRS.test(text)) {
    const letters = Array.from(text);
    for (let at = 0; at + size <= letters.length; at += 1)
      found.add(letters.slice(at, at + size).join(""));
  } else {
    for (let at = 0; at + size <= text.length; at += 1) found.add(text.slice(at, at + size));
  }
  return [...found];
}
