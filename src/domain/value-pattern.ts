import { invalid } from "./fields.js";

/** Characters of the source of a pattern. */
const PATTERN_CHARS_MAX = 200;
/** Parts of unknown length in one pattern: matching tries their lengths in combination. */
const VARIABLE_PARTS_MAX = 3;

/**
 * One part: a literal, `\d`, an escaped mark or a class of characters, once, `?`, or a stated number of times. No group,
 * no alternative, no `.`, no `*`, no `+`: what a part can match is bounded, and so is the time it takes.
 */
const PART =
  /(?:\\d|\\[.\-+/:()[\]{}*?^$|\\]|\[(?<class>(?:\\d|\\[-\]\\^]|[!-[_-~])+)\]|(?<literal>[A-Za-z0-9 _:/,@#%&=~'"!;<>-]))(?<times>\?|\{(?<min>\d{1,3})(?:,(?<max>\d{1,3}))?\})?/y;

/**
 * A pattern for a field's value, whole or not at all. Words with spaces between them are free text, which no pattern may
 * let through: a space stands for itself and once.
 */
export function parsePattern(value: unknown, field: string, maxLength: number): string {
  if (typeof value !== "string" || value.length > PATTERN_CHARS_MAX)
    throw invalid(field, `must be a pattern of at most ${PATTERN_CHARS_MAX} characters`);
  if (!value.startsWith("^") || !value.endsWith("$"))
    throw invalid(field, "must begin with ^ and end with $");
  const source = value.slice(1, -1);
  let variable = 0;
  let length = 0;
  for (let at = 0; at < source.length; ) {
    PART.lastIndex = at;
    const part = PART.exec(source);
    if (part?.groups === undefined)
      throw invalid(field, "has a part that isn't a character or a class, stated times");
    const { literal, times, min, max = min } = part.groups;
    if (literal === " " && times !== undefined)
      throw invalid(field, "repeats a space: free text isn't a field");
    const most = times === undefined || times === "?" ? 1 : Number(max);
    if (times === "?" || min !== max) variable += 1;
    length += most;
    at = PART.lastIndex;
  }
  if (variable > VARIABLE_PARTS_MAX)
    throw invalid(field, `has more than ${VARIABLE_PARTS_MAX} parts of unknown length`);
  if (length > maxLength) throw invalid(field, "lets through more than `maxLength` characters");
  return checkSyntax(value, field);
}

function checkSyntax(pattern: string, field: string): string {
  try {
    new RegExp(pattern, "u");
    return pattern;
  } catch {
    throw invalid(field, "isn't a regular expression");
  }
}
