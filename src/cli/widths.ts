import stringWidth from "string-width";

/** A column at its narrowest and as wide as it would like to be. */
interface Wish {
  readonly min: number;
  readonly max: number;
}

/** Where nobody says how wide the terminal is, such as in a pipe. */
const COLUMNS = 80;
/** On a narrower one no table can be read, so lines break where they will. */
const COLUMNS_MIN = 40;
/** Ids and words up to here aren't broken: they are there to be copied. */
const WORD_MAX = 36;
/** Narrower than this, running text is no pleasure to read. */
const TEXT_MIN = 12;

/** Scripts without spaces break anywhere. */
const BREAKS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai} ]+/u;

const GRAPHEMES = new Intl.Segmenter();

/** Columns of the terminal that people look at. */
export function screenColumns(): number {
  return Math.max(COLUMNS_MIN, process.stdout.columns ?? COLUMNS);
}

/** Columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/**
 * Widths of columns that together take `available`: each gets what it can't do without, those that would like little
 * more get it, and the others share what is left. Null where it doesn't suffice.
 */
export function columnWidths(
  columns: readonly (readonly string[])[],
  available: number,
): readonly number[] | null {
  const wishes = columns.map(wishOf);
  if (sum(wishes.map(({ min }) => min)) > available) return null;
  const widths = shared(wishes, available);
  // Words break where they break: what a column couldn't use goes to the others.
  const left = wishes.map(({ min, max }, at) => {
    const isOfNoUse = usedOf(columns[at] ?? [], widths[at] ?? min) <= min;
    return { min, max: isOfNoUse ? min : max };
  });
  return shared(left, available);
}

function shared(wishes: readonly Wish[], available: number): readonly number[] {
  const widths = wishes.map(({ min }) => min);
  let spare = available - sum(widths);
  const byNeed = wishes
    .map(({ min, max }, at) => ({ at, need: max - min }))
    .sort((a, b) => a.need - b.need);
  for (const [before, { at, need }] of byNeed.entries()) {
    const more = Math.min(need, Math.floor(spare / (byNeed.length - before)));
    widths[at] = (widths[at] ?? 0) + more;
    spare -= more;
  }
  return widths;
}

function usedOf(cells: readonly string[], width: number): number {
  return Math.max(1, ...cells.flatMap((cell) => wrapped(cell, width).map(widthOf)));
}

function wishOf(cells: readonly string[]): Wish {
  const max = Math.max(1, ...cells.map(widthOf));
  const word = Math.max(1, ...cells.flatMap((cell) => cell.split(BREAKS).map(widthOf)));
  return { min: Math.min(max, Math.max(Math.min(word, WORD_MAX), TEXT_MIN)), max };
}

/** Breaks a line between words, and a word only where it is wider than a line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  for (const word of text.split(" ").flatMap((whole) => piecesOf(whole, width))) {
    const more = widthOf(word);
    if (line === "") {
      line = word;
      taken = more;
    } else if (taken + 1 + more <= width) {
      line += ` ${word}`;
      taken += 1 + more;
    } else {
      lines.push(line);
      line = word;
      taken = more;
    }
  }
  return [...lines, line];
}

function piecesOf(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  let taken = 0;
  for (const { segment } of GRAPHEMES.segment(word)) {
    const more = widthOf(segment);
    if (piece !== "" && taken + more > width) {
      pieces.push(piece);
      piece = "";
      taken = 0;
    }
    piece += segment;
    taken += more;
  }
  return [...pieces, piece];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
