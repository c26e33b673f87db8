const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const SPACE = /\s/u;
/** A border that stands within a word, or within a number: "pre|fer", "non|-smoker", "0.|5". */
const INSIDE = /(?:[\p{L}\p{M}\p{N}]|[\p{L}\p{N}][-'\u2019]|\p{N}[.,:])$/u;
const INTO = /^(?:[\p{L}\p{M}\p{N}]|[-'\u2019][\p{L}\p{N}]|[.,:]\p{N})/u;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

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
export function findQuote(
  text: string,
  quote: string,
): { readonly start: number; readonly end: number } | null {
  const wanted = foldQuote(quote);
  if (wanted === "") return null;
  // As it is, nearly always.
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    const place = { start: at, end: at + quote.length };
    if (isWhole(text, place)) return place;
  }
  const folded = foldText(text);
  for (let at = folded.text.indexOf(wanted); at >= 0; at = folded.text.indexOf(wanted, at + 1)) {
    const start = folded.starts[at];
    const end = folded.ends[at + wanted.length - 1];
    if (start !== undefined && end !== undefined && isWhole(text, { start, end }))
      return { start, end };
  }
  return null;
}

function isWhole(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
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
  return foldText(text).text;
}

function foldText(text: string): Folded {
  const isPlain = text.normalize("NFKC") === text;
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = "";
  const add = (part: string, start: number, end: number) => {
    for (const unit of part) {
      const isSpace = SPACE.test(unit);
      if (isSpace && (folded === "" || folded.endsWith(" "))) continue;
      folded += isSpace ? " " : spelled(unit);
      // A character outside of the basic plane has two units.
      while (starts.length < folded.length) {
        starts.push(start);
        ends.push(end);
      }
    }
  };
  if (isPlain) {
    let at = 0;
    for (const unit of text) {
      add(unit, at, at + unit.length);
      at += unit.length;
    }
  } else {
    for (const { segment, index } of GRAPHEMES.segment(text))
      add(segment.normalize("NFKC"), index, index + segment.length);
  }
  return { text: folded.trimEnd(), starts, ends };
}

function spelled(unit: string): string {
  if (unit === "\u2018" || unit === "\u2019") return "'";
  return unit === "\u201c" || unit === "\u201d" ? '"' : unit;
}
