/** What some readers take for the end of a line, and JSON leaves as it is. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** Rows as lines of JSON. INVARIANT: no text in a row begins a line of its own, whoever reads them. */
export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => JSON.stringify(row).replaceAll(LINE_ENDS, escaped)).join("\n");
}

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
