import type { FieldMap, FieldRule } from "./field-map.js";
import type { Memory } from "./memory.js";
import { valueAt } from "./path.js";

/** A value that may become a field's, once a person has looked at it. */
export interface Extracted {
  readonly fieldId: string;
  readonly value: unknown;
}

/** A rule that applies, but not to this value. Never says what the value is. */
export interface Unfit {
  readonly fieldId: string;
  readonly message: string;
}

/** Text that a pattern looks through: a fact stands early in a memory, and a pattern may be slow. */
const SEARCHED_CHARS_MAX = 4_000;

/** Whose the memory is: as the mapping file says, else as the export does. */
export function subjectOf(memory: Memory, map: FieldMap): string | null {
  if (map.subject === undefined) return memory.subject;
  const found = valueAt(memory.record, map.subject);
  return typeof found === "string" || typeof found === "number" ? String(found) : null;
}

/** What the rules make of one memory: at most one value a field, by the first rule that finds one. */
export function extract(memory: Memory, { fields }: FieldMap): readonly (Extracted | Unfit)[] {
  const found = new Map<string, Extracted | Unfit>();
  for (const rule of fields) {
    const { field_id: fieldId } = rule;
    const earlier = found.get(fieldId);
    if (earlier !== undefined && "value" in earlier) continue;
    const value = applies(rule, memory) ? rawValue(rule, memory) : undefined;
    if (value === undefined || value === null) continue;
    const named = rule.values === undefined ? value : lookUp(rule.values, value);
    if (named !== undefined) found.set(fieldId, { fieldId, value: named });
    else found.set(fieldId, { fieldId, message: "the value isn't among the rule's `values`" });
  }
  return [...found.values()];
}

function applies({ kind, where = {} }: FieldRule, memory: Memory): boolean {
  if (kind !== undefined && kind !== memory.kind) return false;
  return Object.entries(where).every(([path, wanted]) => valueAt(memory.record, path) === wanted);
}

function rawValue({ from, match }: FieldRule, { record, text }: Memory): unknown {
  const found = from === undefined ? text : valueAt(record, from);
  if (match === undefined) return found;
  if (typeof found !== "string") return undefined;
  const hit = match.exec(found.slice(0, SEARCHED_CHARS_MAX));
  return hit?.[1] ?? hit?.[0];
}

/** Names in another system differ in case and blanks without meaning anything by it. */
function lookUp(values: NonNullable<FieldRule["values"]>, value: unknown): unknown {
  const plain = (name: unknown) => String(name).trim().toLowerCase();
  const wanted = plain(value);
  return Object.entries(values).find(([name]) => plain(name) === wanted)?.[1];
}
