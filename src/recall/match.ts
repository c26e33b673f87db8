import { LIMITS } from "../domain/limits.js";
import { askedWords, wordsOfPart } from "./analyse.js";
import { GRAM } from "./grams.js";
import { pieceTerm } from "./terms.js";
import type { TextLanguage, Word } from "./word.js";

/** From a place in a text until before another, in UTF-16 units. */
export type Stretch = readonly [from: number, until: number];

/** What may match by itself: decimals, and runs of letters and digits. */
const PART = /\d+(?:[.,]\d+)+|[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces are looked for by two or three letters, so any stretch of a run may match. */
const UNSPACED =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+$/u;
const GRAMS = [3, 2] as const;
/** Is spelled and folded as it stands, and has no number. */
const PLAIN_WORD = /^[a-z]+$/i;
/** Letters from which on stemming leaves the first two alone. */
const LONG_WORD = 6;

/** The share of a word's pieces that a word of the text must have to be taken for it. */
const PIECES_SHARE = 0.5;

/** Where a text of a language has what a question asks for, in its order. Stretches that touch are one. */
export type Matcher = (text: string, language: TextLanguage) => readonly Stretch[];

/** What a question asks for, as texts of one language spell it. */
interface Wanted {
  readonly words: readonly Word[];
  /** Words by their pieces, as places in `words`. */
  readonly byPiece: ReadonlyMap<string, readonly number[]>;
  readonly forms: ReadonlySet<string>;
  /** How its words and their stems begin: with one letter, and with two. */
  readonly beginnings: ReadonlySet<string>;
  /** Parts of texts that were looked at, and whether they match: hits of one question share most of their words. */
  readonly parts: Map<string, boolean>;
}

/** Reads a question once, for all the texts that are to be shown for it. */
export function matcherOf(question: string): Matcher {
  const byLanguage = new Map<TextLanguage, Wanted>();
  return (text, language) => {
    const wanted = byLanguage.get(language) ?? wantedIn(question, language);
    byLanguage.set(language, wanted);
    const found: Stretch[] = [];
    for (const { 0: part, index } of text.matchAll(PART)) {
      if (UNSPACED.test(part)) found.push(...gramsIn(part, index, wanted.forms));
      else if (isAsked(part, language, wanted)) found.push([index, index + part.length]);
    }
    return joined(found);
  };
}

function wantedIn(question: string, language: TextLanguage): Wanted {
  const words = askedWords(question, language === null ? [null] : [language, null]);
  const byPiece = new Map<string, number[]>();
  for (const [place, { pieces }] of words.entries()) {
    for (const piece of pieces) {
      const places = byPiece.get(piece);
      if (places === undefined) byPiece.set(piece, [place]);
      else places.push(place);
    }
  }
  const forms = new Set(words.flatMap((word) => word.forms));
  const beginnings = new Set([...forms].flatMap((form) => [form.slice(0, 1), beginningOf(form)]));
  return { words, byPiece, forms, beginnings, parts: new Map() };
}

function isAsked(part: string, language: TextLanguage, wanted: Wanted): boolean {
  const known = wanted.parts.get(part);
  if (known !== undefined) return known;
  // Texts of nothing but different words: their marks go by the plain word from here on.
  if (wanted.parts.size >= LIMITS.matchedPartsMax) return wanted.forms.has(part.toLowerCase());
  const matches = mayBeAsked(part, wanted) && hasAsked(wordsOfPart(part, language), wanted);
  wanted.parts.set(part, matches);
  return matches;
}

/**
 * False for a plain word that surely isn't one of them: it begins otherwise and has none of their pieces. Most words of a
 * text are told so, and a stem takes longer than everything else.
 */
function mayBeAsked(part: string, { beginnings, byPiece }: Wanted): boolean {
  if (!PLAIN_WORD.test(part)) return true;
  const word = part.toLowerCase();
  const isBegun = beginnings.has(word.length < LONG_WORD ? word.slice(0, 1) : beginningOf(word));
  if (isBegun) return true;
  for (let at = 0; at + GRAM <= word.length; at += 1)
    if (byPiece.has(pieceTerm(word.slice(at, at + GRAM)))) return true;
  return false;
}

/** The letters that no stemmer of ours changes in a long word, but for `y`: dying is stemmed to die. */
function beginningOf(word: string): string {
  return word.slice(0, 2).replace("y", "i");
}

function hasAsked(words: readonly Word[], wanted: Wanted): boolean {
  return words.some(
    (word) => word.forms.some((form) => wanted.forms.has(form)) || sharesPieces(word, wanted),
  );
}

function sharesPieces({ pieces }: Word, { words, byPiece }: Wanted): boolean {
  const shared = new Map<number, number>();
  for (const piece of pieces) {
    for (const place of byPiece.get(piece) ?? []) {
      const count = (shared.get(place) ?? 0) + 1;
      if (count >= PIECES_SHARE * (words[place]?.pieces.length ?? 0)) return true;
      shared.set(place, count);
    }
  }
  return false;
}

function gramsIn(part: string, start: number, forms: ReadonlySet<string>): readonly Stretch[] {
  const sizes = part.length === 1 ? [1] : GRAMS;
  return sizes.flatMap((size) =>
    Array.from({ length: Math.max(0, part.length - size + 1) }, (_, at) => at)
      .filter((at) => forms.has(part.slice(at, at + size)))
      .map((at): Stretch => [start + at, start + at + size]),
  );
}

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const apart: [number, number][] = [];
  for (const [from, until] of stretches.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], until);
    else apart.push([from, until]);
  }
  return apart;
}
