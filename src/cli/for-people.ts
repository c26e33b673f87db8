import type { Io, Output } from "./io.js";
import { screenColumns, widthOf } from "./widths.js";

/** A command to copy stays one, on as many lines as it takes. */
const COMMAND = /^ *muniment /;
const GOES_ON = " \\";
const INDENT = "  ";

/** Writes lines that fit the terminal. */
export function forPeople({ out, err, ...others }: Output): Io {
  return {
    ...others,
    verbatim: out,
    out: (text) => out(fitted(text)),
    err: (text) => err(fitted(text)),
  };
}

/** Writes each value as it is, on one line. */
export function forMachines(output: Output): Io {
  return { ...output, verbatim: output.out };
}

/**
 * Breaks lines that are too wide, between words: what is longer than a line, such as a path, stays whole, and so does
 * what stands in quotes. Where a line goes on, it is indented.
 */
export function fitted(text: string, columns: number = screenColumns()): string {
  return text
    .split("\n")
    .flatMap(apart(columns))
    .flatMap((line) => (widthOf(line) <= columns ? [line] : broken(line, columns)))
    .join("\n");
}

/** A command that ends a line which is too wide gets one of its own. */
function apart(columns: number): (line: string) => readonly string[] {
  return (line) => {
    const at = line.lastIndexOf(": muniment ") + 1;
    const command = line.slice(at + 1);
    if (at === 0 || widthOf(line) <= columns || /[,;`]/.test(command)) return [line];
    return [line.slice(0, at), `${INDENT}${command}`];
  };
}

function broken(line: string, columns: number): readonly string[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const isCommand = COMMAND.test(line);
  const words = line.slice(indent.length).matchAll(wordsOf(columns, isCommand));
  const end = isCommand ? GOES_ON : "";
  const lines: string[] = [];
  let begun = indent;
  for (const [, gap = "", word = ""] of words) {
    const isFirst = begun.trim() === "";
    if (!isFirst && widthOf(begun + gap + word + end) > columns) {
      lines.push(begun + end);
      begun = indent + INDENT + word;
    } else begun += isFirst ? word : gap + word;
  }
  return [...lines, begun];
}

/** A word is also what stands in quotes, where that isn't most of a line. In prose `'` is an apostrophe. */
function wordsOf(columns: number, isCommand: boolean): RegExp {
  const marks = isCommand ? ["'", '"'] : ["`", '"'];
  const quoted = marks.map((mark) => `${mark}[^${mark}]{1,${Math.floor(columns / 2)}}${mark}`);
  return new RegExp(`( *)((?:${quoted.join("|")}|[^ ])+)`, "g");
}
