import Table from "cli-table3";
import { columnWidths, widthOf, wrapped } from "./widths.js";

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

/** Where nobody says how wide the terminal is, such as in a pipe. */
const COLUMNS = 80;
/** A longer cell is running text that a table isn't for. */
const CELL_CHARS_MAX = 600;

/**
 * A table without colours, for people. It fits the terminal: cells wrap, and where that doesn't suffice each row becomes
 * a table of its own, with the heads beside the values.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = process.stdout.columns ?? COLUMNS,
): string {
  const cells = rows.map((row) => row.map((cell) => plain(cell, CELL_CHARS_MAX)));
  const all = head.length === 0 ? cells : [head, ...cells];
  const count = Math.max(0, ...all.map((row) => row.length));
  const byColumn = Array.from({ length: count }, (_, at) => all.map((row) => row[at] ?? ""));
  const widths = columnWidths(byColumn, columns - borders(count));
  if (widths !== null) return drawn(head, cells, widths);
  if (count === 1) return drawn(head, cells, [Math.max(1, columns - borders(1))]);
  if (count === 2) return drawn(head, cells, besideFirst(all, columns));
  const records = cells.map((row) => row.map((cell, at) => [head[at] ?? "", cell]));
  const shared = besideFirst(records.flat(), columns);
  return records.map((record) => drawn([], record, shared)).join("\n");
}

/** What is beside the first column gets the rest of the line, however narrow. */
function besideFirst(
  pairs: readonly (readonly string[])[],
  columns: number,
): readonly [number, number] {
  const widest = (at: number) => Math.max(1, ...pairs.map((pair) => widthOf(pair[at] ?? "")));
  const first = widest(0);
  return [first, Math.min(widest(1), Math.max(1, columns - borders(2) - first))];
}

/** A line and two spaces for each column, and the last line. */
function borders(count: number): number {
  return 3 * count + 1;
}

function drawn(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  widths: readonly number[],
): string {
  const wrap = (row: readonly string[]) => row.map((cell, at) => wrapped(cell, widths[at] ?? 1));
  const made = new Table({ head: wrap(head), style: { head: [], border: [], compact: true } });
  made.push(...cells.map(wrap));
  return made.toString();
}
