import { LIMITS } from "../domain/limits.js";
import { isStopWord } from "./stop-words.js";
import { pieceTerm } from "./terms.js";

type Emit = (term: string) => void;

/** Letters of a piece. A word of just as many is its own piece, so that `walk` meets `walking`. */
const GRAM = 4;
const HAS_NUMBER = /\p{N}/u;
const HAS_PAIRS = /[\ud800-\udfff]/;
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Stretches of a word by how their script parts words: Han and Kana, Hangul, South-East Asia, all others. */
const STRETCH =
  /([\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+)|(\p{scx=Hang}+)|([\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+)|((?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]).)+)/gsu;

/** Emits the terms of one folded word: whole where spaces part words, and its pieces. */
export function emitWord(word: string, emit: Emit): void {
  if (!UNSPACED.test(word)) {
    emitSpaced(word, emit);
    return;
  }
  for (const [, han, hangul, southEast, spaced] of word.matchAll(STRETCH)) {
    if (han !== undefined) {
      emitGrams(han, 1, emit);
      emitGrams(han, 2, emit);
    } else if (hangul !== undefined) {
      if (hangul.length !== 2) emit(hangul.slice(0, LIMITS.wordCharsMax));
      emitGrams(hangul, 2, emit);
    } else if (southEast !== undefined) {
      if (southEast.length < 3) emit(southEast);
      emitGrams(southEast, 3, emit);
    } else if (spaced !== undefined) {
      emitSpaced(spaced, emit);
    }
  }
}

function emitSpaced(word: string, emit: Emit): void {
  for (const piece of cut(word)) {
    if (isStopWord(piece)) continue;
    emit(piece);
    if (HAS_NUMBER.test(piece)) emitSides(piece, emit);
    else emitGrams(piece, GRAM, (letters) => emit(pieceTerm(letters)));
  }
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
function emitSides(text: string, emit: Emit): void {
  const sides = text.match(/\p{N}+|\P{N}+/gu) ?? [];
  if (sides.length > 1) for (const side of sides) emit(side);
}

/** Every stretch of `size` letters. A surrogate pair is one letter. */
function emitGrams(text: string, size: number, emit: Emit): void {
  if (HAS_PAIRS.test(text)) {
    const letters = Array.from(text);
    for (let at = 0; at + size <= letters.length; at += 1)
      emit(letters.slice(at, at + size).join(""));
  } else {
    for (let at = 0; at + size <= text.length; at += 1) emit(text.slice(at, at + size));
  }
}
