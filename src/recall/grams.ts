import { LIMITS } from "../domain/limits.js";
import { isStopWord } from "./stop-words.js";

type Emit = (term: string) => void;

const GRAM = 4;

/** Stretches of a word by how their script parts words: Han and Kana, Hangul, scripts of South-East Asia, all others. */
const STRETCH =
  /([\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+)|(\p{scx=Hangul}+)|([\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+)|((?:(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]).)+)/gsu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

/** Emits the terms of one folded word: whole where spaces part words, and its pieces. */
export function emitWord(word: string, emit: Emit): void {
  if (ASCII.test(word)) {
    emitSpaced(word, emit);
    return;
  }
  for (const [, han, hangul, unspaced, spaced] of word.matchAll(STRETCH)) {
    if (han !== undefined) {
      const letters = Array.from(han);
      letters.forEach(emit);
      emitGrams(letters, 2, emit);
    } else if (hangul !== undefined) {
      const letters = Array.from(hangul);
      if (letters.length !== 2) emit(hangul.slice(0, LIMITS.wordCharsMax));
      emitGrams(letters, 2, emit);
    } else if (unspaced !== undefined) {
      const letters = Array.from(unspaced);
      if (letters.length < 3) emit(unspaced);
      emitGrams(letters, 3, emit);
    } else if (spaced !== undefined) {
      emitSpaced(spaced, emit);
    }
  }
}

function emitSpaced(word: string, emit: Emit): void {
  const letters = Array.from(word);
  for (let at = 0; at < letters.length; at += LIMITS.wordCharsMax) {
    const piece = letters.slice(at, at + LIMITS.wordCharsMax);
    const text = piece.join("");
    if (isStopWord(text)) continue;
    emit(text);
    if (/\p{N}/u.test(text)) emitSides(text, emit);
    else if (piece.length > GRAM) emitGrams(piece, GRAM, emit);
  }
}

/** `e1042` is found as 1042 too. No grams: numbers that look alike are not alike. */
function emitSides(text: string, emit: Emit): void {
  const sides = text.match(/\p{N}+|\P{N}+/gu) ?? [];
  if (sides.length > 1) sides.forEach(emit);
}

function emitGrams(letters: readonly string[], size: number, emit: Emit): void {
  for (let at = 0; at + size <= letters.length; at += 1)
    emit(letters.slice(at, at + size).join(""));
}
