import { randomUUID } from "node:crypto";
import { fieldPath } from "../domain/fields.js";

/** Start of a string or a number. */
const START = /["\d]/g;
const DIGITS = /[\d.eE+-]+/y;
/** A shorter one without an exponent is kept as it is. */
const SHORT = /^[\d.]{1,15}$/;
const STRING_END = /["\\]/g;

/**
 * Path of the first number that JavaScript would change without a word: a whole one above 2^53 - 1, one that comes out as 0
 * or as no number at all. Null where there is none. `text` is JSON. What stands under a key that comes again is gone, and
 * has no path: `body`.
 */
export function changedNumberPath(text: string): string | null {
  for (let at = 0; ; ) {
    START.lastIndex = at;
    const start = START.exec(text);
    if (start === null) return null;
    const { index } = start;
    if (start[0] === '"') {
      at = stringEnd(text, index + 1);
      continue;
    }
    DIGITS.lastIndex = index;
    const digits = DIGITS.exec(text)?.[0] ?? "";
    at = index + digits.length;
    if (isChanged(digits)) return pathAt(text, text[index - 1] === "-" ? index - 1 : index, at);
  }
}

function isChanged(digits: string): boolean {
  if (SHORT.test(digits)) return false;
  const value = Number(digits);
  if (!Number.isFinite(value)) return true;
  const [significand = "", exponent] = digits.split(/e/i);
  if (value === 0) return /[1-9]/.test(significand);
  return exponent === undefined && value > Number.MAX_SAFE_INTEGER;
}

/** Place after the string that begins before `at`. */
function stringEnd(text: string, at: number): number {
  for (let from = at; ; ) {
    STRING_END.lastIndex = from;
    const end = STRING_END.exec(text);
    if (end === null) return text.length;
    if (end[0] === '"') return end.index + 1;
    from = end.index + 2;
  }
}

/** Where the number from `start` to `end` stands: put a mark in its place, and look where it comes out. */
function pathAt(text: string, start: number, end: number): string {
  const mark = randomUUID();
  const marked: unknown = JSON.parse(`${text.slice(0, start)}"${mark}"${text.slice(end)}`);
  return pathOf(marked, mark, "") ?? "body";
}

function pathOf(value: unknown, mark: string, path: string): string | null {
  if (value === mark) return path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOf(inner, mark, fieldPath(path, key));
    if (found !== null) return found;
  }
  return null;
}
