/** A part of a text, in its own units. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const SPACE = /\s/u;
/** Characters that have one form. */
const PLAIN = /^[\0-\x7f]*$/;
/** A border that stands within a word, or within a number: "pre|fer", "non|-smoker", "0.|5". */
const INSIDE = /(?:[\p{L}\p{M}\p{N}]|[\p{L}\p{N}][-'\u2019]|\p{N}[.,:])$/u;
const INTO = /^(?:[\p{L}\p{M}\p{N}]|[-'\u2019][\p{L}\p{N}]|[.,:]\p{N})/u;
/** Scripts that put no spaces between words, with the long-vowel mark, which belongs to both kana scripts. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Parts of a text that never share a character, and of a part without spaces as much as is folded at once: time grows with its square. */
const STRETCHES = /\s+|\S+/gu;
const PIECE_CHARS_MAX = 256;
/** Places at which a quote is tried. What stands in a text that often and is never whole is part of longer words. */
const PLACES_MAX = 1_000;
const MARK = /^[\p{M}\u200d]/u;

/** A text as quotes are compared with it, and where each of its units came from. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Where a text has a quote, in its own units and as whole words; null where it doesn't. Spaces, marks of quotation and forms of a character that
 * mean the same don't tell a quote from its text; anything else does.
 */
export function findQuote(text: string, quote: string): TextPlace | null {
  return quotesIn(text)(quote);
}

/** The same for many quotes of one text: it is folded once, and not where all of them stand in it as they are. */
export function quotesIn(text: string): (quote: string) => TextPlace | null {
  let once: Folded | null = null;
  return (quote) => {
    const wanted = foldQuote(quote);
    if (wanted === "") return null;
    // As it is, nearly always.
    for (const at of placesIn(text, quote)) {
      const place = { start: at, end: at + quote.length };
      if (isWhole(text, place)) return place;
    }
    once ??= foldText(text);
    const { text: folded, starts, ends } = once;
    for (const at of placesIn(folded, wanted)) {
      const start = starts[at];
      const end = ends[at + wanted.length - 1];
      if (start !== undefined && end !== undefined && isWhole(text, { start, end }))
        return { start, end };
    }
    return null;
  };
}

function* placesIn(text: string, part: string): Generator<number> {
  let at = text.indexOf(part);
  for (let count = 0; at >= 0 && count < PLACES_MAX; count += 1) {
    yield at;
    at = text.indexOf(part, at + 1);
  }
}

function isWhole(text: string, { start, end }: TextPlace): boolean {
  return !isWithinWord(text, start) && !isWithinWord(text, end);
}

/** A few units on each side are enough to see a word go on. */
function isWithinWord(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 4), at);
  const behind = text.slice(at, at + 4);
  const around = `${before.slice(-2)}${behind.slice(0, 2)}`;
  if (UNSPACED.test(around)) return false;
  return (
    (INSIDE.test(before) && /^[\p{L}\p{M}\p{N}]/u.test(behind)) ||
    (/[\p{L}\p{M}\p{N}]$/u.test(before) && INTO.test(behind))
  );
}

/** The one spelling of texts that say the same, character by character. */
export function foldQuote(text: string): string {
  return PLAIN.test(text) ? text.replaceAll(/\s+/g, " ").trim() : foldText(text).text;
}

function foldText(text: string): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  const folded: string[] = [];
  let isAtBorder = true;
  const add = (part: string, start: number, end: number) => {
    for (const unit of part) {
      const isSpace = SPACE.test(unit);
      if (isSpace && isAtBorder) continue;
      isAtBorder = isSpace;
      folded.push(isSpace ? " " : spelled(unit));
      // A character outside of the basic plane has two units.
      for (let units = unit.length; units > 0; units -= 1) {
        starts.push(start);
        ends.push(end);
      }
    }
  };
  for (const [piece, from] of piecesOf(text)) {
    if (piece.normalize("NFKC") === piece) {
      let at = from;
      for (const unit of piece) {
        add(unit, at, at + unit.length);
        at += unit.length;
      }
    } else {
      for (const { segment, index } of GRAPHEMES.segment(piece))
        add(segment.normalize("NFKC"), from + index, from + index + segment.length);
    }
  }
  return { text: folded.join("").trimEnd(), starts, ends };
}

/** The text in short pieces, each with its place: none begins within a character. */
function* piecesOf(text: string): Generator<readonly [string, number]> {
  for (const { 0: stretch, index } of text.matchAll(STRETCHES)) {
    for (let from = 0; from < stretch.length; ) {
      let to = Math.min(from + PIECE_CHARS_MAX, stretch.length);
      while (to < stretch.length && isWithinCharacter(stretch, to)) to += 1;
      yield [stretch.slice(from, to), index + from];
      from = to;
    }
  }
}

function isWithinCharacter(text: string, at: number): boolean {
  const isSecondUnit = /^[\udc00-\udfff]/.test(text.slice(at, at + 1));
  return isSecondUnit || MARK.test(text.slice(at, at + 2)) || text[at - 1] === "\u200d";
}

function spelled(unit: string): string {
  if (unit === "\u2018" || unit === "\u2019") return "'";
  return unit === "\u201c" || unit === "\u201d" ? '"' : unit;
}
