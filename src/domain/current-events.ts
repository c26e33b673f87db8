import type { EventFact, EventValue } from "./event.js";
import { foldSpelling } from "./spelling.js";

/** Newest revision of each record. What a source has said before is history, in whatever order it came. */
export function newestRevisions(facts: readonly EventFact[]): readonly EventFact[] {
  const newest = new Map<string, EventFact>();
  for (const fact of facts) {
    const known = newest.get(fact.recordId);
    if (known === undefined || fact.sourceRevision > known.sourceRevision)
      newest.set(fact.recordId, fact);
  }
  return [...newest.values()];
}

/** Newest first; what is of one moment by its id, so that the order is always the same. */
export function compareTimes(
  a: { readonly effectiveAt: Date; readonly id: string },
  b: { readonly effectiveAt: Date; readonly id: string },
): number {
  return b.effectiveAt.getTime() - a.effectiveAt.getTime() || compareTexts(a.id, b.id);
}

/** By code unit: no locale of a machine decides over an order. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Printable ASCII with single spaces inside: nothing but its case can differ. Most values are. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** A text as two sources would spell it: case, forms of a character that mean the same, and white space tell nothing apart. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return foldSpelling(text).replaceAll(/\s+/g, " ").trim();
}

/** One spelling for values that say the same. */
export function valueKey(value: EventValue | null): string {
  if (value === null || typeof value !== "object") return scalarKey(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b));
  return JSON.stringify(entries.map(([key, item]) => [key, scalarKey(item)]));
}

function scalarKey(value: EventValue | null): string {
  return JSON.stringify(typeof value === "string" ? foldText(value) : value);
}
