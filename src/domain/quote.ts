const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const SPACE = /\s/u;

/** A text as quotes are compared with it, and where each of its units came from. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Where a text has a quote, in its own units; null where it doesn't. Spaces, marks of quotation and forms of a character that
 * mean the same don't tell a quote from its text; anything else does.
 */
export function findQuote(
  text: string,
  quote: string,
): { readonly start: number; readonly end: number } | null {
  const wanted = foldQuote(quote);
  if (wanted === "") return null;
  // As it is, nearly always.
  const exact = text.indexOf(quote);
  if (exact >= 0) return { start: exact, end: exact + quote.length };
  const folded = foldText(text);
  const at = folded.text.indexOf(wanted);
  const start = folded.starts[at];
  const end = folded.ends[at + wanted.length - 1];
  return start === undefined || end === undefined ? null : { start, end };
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
