/** A column at its narrowest and as wide as it would like to be. */
interface Wish {
  readonly min: number;
  readonly max: number;
}

/** Ids and words up to here aren't broken: they are there to be copied. */
const WORD_MAX = 36;
/** Narrower than this, running text is no pleasure to read. */
const TEXT_MIN = 16;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{M}/u;

/** Columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += MARK.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/**
 * Widths of columns that together take `available`: each gets what it can't do without, and what is left goes to those
 * that would like more. Null where it doesn't suffice.
 */
export function columnWidths(
  columns: readonly (readonly string[])[],
  available: number,
): readonly number[] | null {
  const wishes = columns.map(wishOf);
  const spare = available - sum(wishes.map(({ min }) => min));
  if (spare < 0) return null;
  const wanted = sum(wishes.map(({ min, max }) => max - min));
  const share = wanted <= spare ? 1 : spare / wanted;
  return wishes.map(({ min, max }) => min + Math.floor((max - min) * share));
}

function wishOf(cells: readonly string[]): Wish {
  const max = Math.max(1, ...cells.map(widthOf));
  const word = Math.max(1, ...cells.flatMap((cell) => cell.split(" ").map(widthOf)));
  return { min: Math.min(max, Math.max(Math.min(word, WORD_MAX), TEXT_MIN)), max };
}

/** Breaks a line between words, and a word only where it is wider than a line. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((whole) => piecesOf(whole, width))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].join("\n");
}

function piecesOf(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  let taken = 0;
  for (const char of word) {
    const more = widthOf(char);
    if (piece !== "" && taken + more > width) {
      pieces.push(piece);
      piece = "";
      taken = 0;
    }
    piece += char;
    taken += more;
  }
  return [...pieces, piece];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
