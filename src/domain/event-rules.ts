import { refuseCredential } from "./credential-text.js";
import type { EventFields, EventScalar, EventStatus, EventValue } from "./event.js";
import { invalid, isObject, parseName } from "./fields.js";
import { parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import { NAME } from "./name.js";

const SOURCE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const HOUR_MS = 3_600_000;

/** Name of a system that holds records. Has no slash, so that it and a record's id make one unambiguous name. */
export function parseSourceName(value: unknown, field: string): string {
  return parseName(value, field, SOURCE);
}

/** What an event is about: lower-case words joined by `_`, as a dimension or a field is named. */
export function parseEventKey(value: unknown, field: string): string {
  return parseName(value, field, NAME);
}

function parseScalar(value: unknown, field: string): EventScalar {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "string")
    throw invalid(field, "must be a text, a number, true or false, or an object of these");
  return parseText(value, field, LIMITS.eventCharsMax);
}

/** Several values that belong together, one level deep. */
export function parseEventFields(value: unknown, field: string): EventFields {
  if (!isObject(value)) throw invalid(field, "must be an object");
  const entries = Object.entries(value);
  if (entries.length === 0) throw invalid(field, "is empty");
  if (entries.length > LIMITS.eventFieldsMax)
    throw invalid(field, `has more than ${LIMITS.eventFieldsMax} entries`);
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (!NAME.test(key)) throw invalid(field, "has a key that isn't of a-z, 0-9 and _");
      return [key, parseScalar(item, field)];
    }),
  );
}

export function parseEventValue(value: unknown, field: string): EventValue {
  return isObject(value) ? parseEventFields(value, field) : parseScalar(value, field);
}

/** What an event says in words of its source's. */
interface Said {
  readonly status: EventStatus;
  readonly value?: EventValue | null | undefined;
  readonly unit?: string | null | undefined;
  readonly conditions?: EventFields | null | undefined;
  readonly code?: string | null | undefined;
}

/** Refuses what each of its keys alone doesn't show to be wrong, and what no layer keeps. */
export function checkEvent(said: Said): void {
  if ((said.value ?? null) === null && said.status !== "withdrawn")
    throw invalid("value", "is missing");
  for (const field of ["value", "unit", "conditions", "code"] as const)
    for (const text of textsIn(said[field])) refuseCredential(text, field);
}

/** Refuses what isn't so yet, or mayn't be kept any more. */
export function checkTimes(
  times: { readonly effective_at: Date; readonly expires_at?: Date | undefined },
  now: Date,
): void {
  // What is planned isn't so yet: else a view would change by itself while nobody records anything.
  if (times.effective_at.getTime() > now.getTime() + LIMITS.eventAheadHours * HOUR_MS)
    throw invalid("effective_at", "lies ahead: an event says what is or was so");
  if (times.expires_at !== undefined && times.expires_at <= now)
    throw invalid("expires_at", "has passed");
}

function textsIn(value: EventValue | null | undefined): readonly string[] {
  const items = typeof value === "object" && value !== null ? Object.values(value) : [value];
  return items.filter((item) => typeof item === "string");
}
