import { invalid } from "./fields.js";
import type { RouteId } from "./ids.js";
import { trustedId } from "./ids.js";
import { LIMITS } from "./limits.js";
import { NAME } from "./name.js";
import { textFault } from "./text-fault.js";

// Parsers of what comes from outside. INVARIANT: none of them puts the value into its error.

const CONTROL = /\p{Cc}/u;
/** Fillers and selectors of scripts show nothing alone, nor does the empty pattern of Braille. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Text as it is kept: well-formed, no NUL, at most `charsMax` UTF-16 units. May be empty. */
export function parseString(value: unknown, field: string, charsMax: number): string {
  if (typeof value !== "string") throw invalid(field, "must be a string");
  if (value.length > charsMax) throw invalid(field, `is longer than ${charsMax} characters`);
  const fault = textFault(value);
  if (fault !== null) throw invalid(field, fault);
  return value;
}

/** An id from outside: NFC, 1 to 256 characters, no control characters, something visible in it, no space around it. */
export function parseExternalId(value: unknown, field: string): string {
  const id = parseString(value, field, LIMITS.externalIdCharsMax).normalize("NFC");
  if (!VISIBLE.test(id)) throw invalid(field, "is empty");
  if (CONTROL.test(id)) throw invalid(field, "has a control character");
  if (id.trim() !== id) throw invalid(field, "has space around it");
  if (id.length > LIMITS.externalIdCharsMax)
    throw invalid(field, `is longer than ${LIMITS.externalIdCharsMax} characters`);
  return id;
}

/** False for text in which there is nothing to see. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Text that is kept: well-formed, no NUL, something visible in it, at most `charsMax` UTF-16 units. */
export function parseText(value: unknown, field: string, charsMax: number): string {
  const text = parseString(value, field, charsMax);
  if (!VISIBLE.test(text)) throw invalid(field, "is empty");
  return text;
}

/** A count from outside: a whole number of 0 or more. Above `max` it is refused, 0 means 0. */
export function parseLimit(value: unknown, field: string, max: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw invalid(field, "must be a whole number, 0 or more");
  if (value > max) throw invalid(field, `is above ${max}`);
  return value;
}

export function parseRouteId(value: unknown, field: string): RouteId {
  if (typeof value !== "string" || !NAME.test(value))
    throw invalid(field, "must be 1 to 64 of a-z, 0-9 and _, starting with a letter");
  return trustedId<"RouteId">(value);
}

const INSTANT_MIN = new Date("0001-01-01T00:00:00Z");
const INSTANT_MAX = new Date("9999-12-31T23:59:59.999Z");

/** `Date` carries 30 February over into March and 24:00 into the next day. */
function isOfCalendar(value: string): boolean {
  const midnight = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return midnight.toISOString().startsWith(value.slice(0, 10)) && value.slice(11, 13) !== "24";
}

/** An instant with its zone (RFC 3339). A time without an offset is refused: it would mean another instant elsewhere. */
export function parseInstant(value: unknown, field: string): Date {
  const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
  if (typeof value !== "string" || !form.test(value)) {
    throw invalid(field, "must be a time with its zone, such as 2026-03-01T09:30:00Z");
  }
  const instant = new Date(value);
  if (Number.isNaN(instant.getTime()) || !isOfCalendar(value))
    throw invalid(field, "is not a time of the calendar");
  if (instant < INSTANT_MIN || instant > INSTANT_MAX)
    throw invalid(field, "is outside of the years 1 to 9999");
  return instant;
}
