import { columnWidths, screenColumns, widthOf, wrapped } from "./widths.js";

/** Control characters of what others wrote could move the cursor or recolour the terminal. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Text that is safe on a terminal, on one line. */
export function plain(text: string, charsMax = Number.POSITIVE_INFINITY): string {
  const line = text.replace(CONTROL, " ");
  return line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line;
}

/** Text that is safe on a terminal, with its line ends. */
export function plainLines(text: string): string {
  return text
    .split("\n")
    .map((line) => plain(line))
    .join("\n");
}

type Row = readonly string[];

/** A longer cell is running text that a table isn't for. */
const CELL_CHARS_MAX = 600;
const GAP = "  ";
const RULE = "─";
const FIGURE = /^-?\d[\d.,]*$/;

/**
 * A table without colours, for people. It fits the terminal: cells wrap, and where that doesn't suffice the heads stand
 * beside the values of each row.
 */
export function table(head: Row, rows: readonly Row[], columns: number = screenColumns()): string {
  const cells = rows.map((row) => row.map((cell) => plain(cell, CELL_CHARS_MAX)));
  const all = head.length === 0 ? cells : [head, ...cells];
  const count = Math.max(0, ...all.map((row) => row.length));
  const byColumn = Array.from({ length: count }, (_, at) => all.map((row) => row[at] ?? ""));
  const widths = columnWidths(byColumn, columns - GAP.length * (count - 1));
  if (widths !== null) return drawn(head, cells, widths);
  if (count === 1) return drawn(head, cells, [columns]);
  if (count === 2) return drawn(head, cells, besideFirst(all, columns));
  return records(head, rows, columns);
}

/** Rows one below the other, each with the heads beside its values. */
export function records(head: Row, rows: readonly Row[], columns = screenColumns()): string {
  const pairs = rows.map((row) =>
    row.map((cell, at) => [head[at] ?? "", plain(cell, CELL_CHARS_MAX)]),
  );
  const widths = besideFirst(pairs.flat(), columns);
  return pairs.map((row) => drawn([], row, widths)).join("\n\n");
}

/** What is beside the first column gets the rest of the line, at least half of it. */
function besideFirst(pairs: readonly Row[], columns: number): readonly [number, number] {
  const widest = Math.max(1, ...pairs.map(([first = ""]) => widthOf(first)));
  const first = Math.min(widest, Math.floor(columns / 2));
  return [first, columns - GAP.length - first];
}

function drawn(head: Row, cells: readonly Row[], widths: readonly number[]): string {
  const areFigures = widths.map((_, at) => isOfFigures(cells.map((row) => row[at] ?? "")));
  const lines = (row: Row) => linesOf(row, widths, areFigures);
  const rule = widths.map((width) => RULE.repeat(width)).join(GAP);
  const top = head.length === 0 ? [] : [...lines(head), rule];
  return [...top, ...cells.flatMap(lines)].join("\n");
}

function isOfFigures(column: readonly string[]): boolean {
  const filled = column.filter((cell) => cell !== "");
  return filled.length > 0 && filled.every((cell) => FIGURE.test(cell));
}

/** A row as lines: each cell wraps in its column, and figures stand at its right. */
function linesOf(
  row: Row,
  widths: readonly number[],
  areFigures: readonly boolean[],
): readonly string[] {
  const columns = widths.map((width, at) => wrapped(row[at] ?? "", width));
  const height = Math.max(0, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, at) => {
        const text = lines[line] ?? "";
        const space = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
        return areFigures[at] ? space + text : text + space;
      })
      .join(GAP)
      .trimEnd(),
  );
}
