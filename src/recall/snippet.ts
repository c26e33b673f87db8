import { LIMITS } from "../domain/limits.js";
import type { Matcher, Stretch } from "./match.js";
import type { TextLanguage } from "./word.js";

export interface Snippet {
  /** A stretch of the turn's own text, cut where words end. */
  readonly text: string;
  /** What in `text` matches the question, from a place until before another, in UTF-16 units. */
  readonly matches: readonly Stretch[];
  /** Whether the turn goes on before and after it. */
  readonly cut: { readonly before: boolean; readonly after: boolean };
}

/** What is shown before the first match. */
const LEAD = 60;
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The part of a text that has most of what the question asks for. INVARIANT: well-formed text in, well-formed text out. */
export function snippetOf(text: string, language: TextLanguage, matchesIn: Matcher): Snippet {
  const matches = matchesIn(text, language);
  const [from, until] = windowOf(text, matches);
  return {
    text: text.slice(from, until),
    matches: matches
      .filter(([start, end]) => start >= from && end <= until)
      .map(([start, end]) => [start - from, end - from] as const),
    cut: { before: from > 0, after: until < text.length },
  };
}

function windowOf(text: string, matches: readonly Stretch[]): Stretch {
  const size = LIMITS.snippetCharsMax;
  if (text.length <= size) return [0, text.length];
  const first = densest(matches, size - LEAD);
  const from = Math.min(Math.max(0, first - LEAD), text.length - size);
  return [borderAfter(text, from), borderBefore(text, from + size)];
}

/** Where the stretch of `size` with most matches begins. */
function densest(matches: readonly Stretch[], size: number): number {
  let best = 0;
  let most = 0;
  let end = 0;
  for (const [at, [start]] of matches.entries()) {
    while ((matches[end]?.[1] ?? Number.POSITIVE_INFINITY) <= start + size) end += 1;
    if (end - at <= most) continue;
    most = end - at;
    best = start;
  }
  return best;
}

/** The first border at or behind a place. */
function borderAfter(text: string, place: number): number {
  if (place === 0) return 0;
  return bordersAround(text, place).find((border) => border >= place) ?? place;
}

/** The last border at or before a place. */
function borderBefore(text: string, place: number): number {
  if (place >= text.length) return text.length;
  return bordersAround(text, place).findLast((border) => border <= place) ?? place;
}

/** Borders of words near a place; of what is one unbroken run there, borders of what readers take for a letter. */
function bordersAround(text: string, place: number): readonly number[] {
  const from = pairStart(text, Math.max(0, place - LEAD));
  const near = text.slice(from, pairStart(text, Math.min(text.length, place + LEAD)));
  const words = Array.from(WORDS.segment(near), ({ index }) => from + index).slice(1);
  return words.length > 0
    ? words
    : Array.from(GRAPHEMES.segment(near), ({ index }) => from + index).slice(1);
}

/** The place, or the one before it where it is inside of a surrogate pair. */
function pairStart(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place - 1 : place;
}
