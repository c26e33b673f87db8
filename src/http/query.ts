import { fieldPath, invalid, parseFields } from "../domain/fields.js";

/** Keys whose values are whole numbers. Everything in a query string is text. */
const NUMERIC_KEYS: ReadonlySet<string> = new Set(["limit", "line", "version"]);
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/**
 * A query string as the services parse it: whole-number text of a numeric key becomes a number, everything else stays
 * text and is refused by the service where it wants a number. A repeated key is refused.
 */
export function readQuery(query: unknown): Readonly<Record<string, unknown>> {
  const read: [string, unknown][] = [];
  for (const [key, value] of Object.entries(query ?? {})) {
    if (typeof value !== "string") throw invalid(fieldPath("", key), "is given more than once");
    const isNumber = NUMERIC_KEYS.has(key) && WHOLE_NUMBER.test(value);
    read.push([key, isNumber ? Number(value) : value]);
  }
  return Object.fromEntries(read);
}

/** For operations that take no query: any key is refused, one that names a scope as such. */
export function refuseQuery(query: Readonly<Record<string, unknown>>): void {
  parseFields(query, "", []);
}
