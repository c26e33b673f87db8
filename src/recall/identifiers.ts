type Emit = (term: string) => void;

// INVARIANT: each pattern here takes linear time: a match starts only where a word does, or has a bound.

const START = "(?<![\\p{L}\\p{N}])";
const END = "(?![\\p{L}\\p{N}])";

/** A number with a decimal mark or thousands marks, that isn't a piece of a version, date or address. */
const NUMBER = /(?<![\p{L}\p{N}]|\d[.,:/-])\d+(?:[.,]\d+)+(?![.,:/-]?\d)/gu;
/** Letters and digits joined by signs: `a-1009`, `jane@bank.example`, `v1.12`, `2026/7`. */
const JOINED = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]+(?:[-_./:@#+][\p{L}\p{M}\p{N}]+)+/gu;
/** Most texts, and all single words, have none of what joins. */
const SIGN = /[-_./:@#+]/;
/** Groups of digits apart: phone, card and order numbers. */
const DIGIT_GROUPS = new RegExp(`${START}\\d{1,32}(?:[ -]\\d{1,32}){1,15}${END}`, "gu");
/** International bank account number, in groups or not. */
const IBAN = new RegExp(
  `${START}[a-z]{2}\\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?${END}`,
  "gu",
);

/**
 * Emits numbers and identifiers of a folded text whole, in one spelling whatever parts their groups.
 * Returns the text without its decimal numbers: `12.5` must not be found as 12, 5 or 125.
 */
export function emitIdentifiers(text: string, emit: Emit): string {
  const hasDigit = /\d/.test(text);
  if (hasDigit) {
    for (const [groups] of text.matchAll(DIGIT_GROUPS)) emit(groups.replace(/\D/g, ""));
    for (const [account] of text.matchAll(IBAN)) {
      if (account.includes(" ")) emit(account.replaceAll(" ", ""));
    }
  }
  if (SIGN.test(text)) for (const [joined] of text.matchAll(JOINED)) emitJoined(joined, emit);
  if (!hasDigit) return text;
  return text.replace(NUMBER, (number) => (emitNumber(number, emit) ? " " : number));
}

function emitJoined(joined: string, emit: Emit): void {
  if (/\d/.test(joined)) {
    // All digits: the groups above have it. Dots stay: v1.12 isn't v11.2.
    if (!/^[\d.,-]+$/.test(joined) || /\..*\./.test(joined))
      emit(joined.replace(/[^\p{L}\p{M}\p{N}.]/gu, ""));
  } else if (/[-_@]/.test(joined)) {
    emit(joined.replace(/[^\p{L}\p{M}\p{N}]/gu, ""));
  }
}

/** False where it is no number but, say, a version of three parts. */
function emitNumber(number: string, emit: Emit): boolean {
  const groups = number.split(/[.,]/);
  const marks = number.match(/[.,]/g) ?? [];
  const last = groups.at(-1) ?? "";
  const isGrouped = groups.length > 2 || last.length === 3;
  if (!isGrouped) {
    emitDecimal(groups[0] ?? "", last, emit);
    return true;
  }
  // 1,250 is a thousand here and a decimal there: both readings are kept. With several marks only the last may be decimal.
  const inner = groups.slice(1, -1).every((group) => group.length === 3);
  const sameMarks = new Set(marks.slice(0, -1)).size <= 1;
  if (!inner || !sameMarks || (groups[0]?.length ?? 0) > 3) return false;
  if (marks.length > 1 && marks.at(-1) === marks[0]) {
    if (last.length !== 3) return false;
    emit(groups.join(""));
    return true;
  }
  if (marks.length === 1) emit(groups.join(""));
  emitDecimal(groups.slice(0, -1).join(""), last, emit);
  return true;
}

/** `12.50` is found as 12.5 too, but comes first for 12.50. */
function emitDecimal(whole: string, fraction: string, emit: Emit): void {
  emit(`${whole}.${fraction}`);
  const short = fraction.replace(/0+$/, "");
  if (short !== fraction) emit(short === "" ? whole : `${whole}.${short}`);
}
