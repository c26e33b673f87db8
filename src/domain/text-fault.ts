import { LIMITS } from "./limits.js";

const MARKS_IN_ROW = new RegExp(`\\p{M}{${LIMITS.marksInRowMax + 1}}`, "u");

/** Why a string is no text that is kept; null where it is. */
export function textFault(value: string): string | null {
  if (!value.isWellFormed()) return "has half of a surrogate pair";
  if (value.includes("\u0000")) return "has a NUL character";
  if (MARKS_IN_ROW.test(value))
    return `has more than ${LIMITS.marksInRowMax} combining marks in a row`;
  return null;
}
