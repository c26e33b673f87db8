import Table from "cli-table3";

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

/** A table without colours, for people. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  made.push(...rows.map((row) => row.map((cell) => plain(cell, 100))));
  return made.toString();
}
