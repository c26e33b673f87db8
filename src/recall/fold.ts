import { LIMITS } from "../domain/limits.js";

/** Marks over and under Latin, Greek and Cyrillic letters, vowel points of Arabic and Hebrew, Arabic's stretching line, dots under Indic letters. */
const MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]/g;

/** Formatting that nobody sees (soft hyphen, joiners, direction marks). The zero-width space stays: it parts words. */
const UNSEEN = /(?!\u200b)\p{Cf}/gu;

/** Letters that decomposition leaves whole although people type them plainly. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: "ss",
  ı: "i",
  ς: "σ",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ى: "ي",
  ة: "ه",
};
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** A text as it is written, but for what nobody means: case, compatibility forms and unseen formatting. */
export function spell(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKC")
    .slice(0, LIMITS.foldedCharsMax)
    .toLowerCase()
    .replace(UNSEEN, "")
    .normalize("NFC");
}

/**
 * A spelled text without its diacritics: readers take `café` and `cafe` for the same word.
 * Marks of scripts in which they are letters (Thai vowels, Japanese voicing, the Cyrillic й) stay.
 */
export function fold(spelled: string): string {
  if (ASCII.test(spelled)) return spelled;
  return spelled
    .normalize("NFKD")
    .replaceAll("и\u0306", "й")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter);
}
