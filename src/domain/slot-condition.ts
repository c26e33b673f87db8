import { invalid, isObject, parseFields, parseName } from "./fields.js";

/** What a stage depends on: one value in the slot of an earlier stage. */
export interface SlotCondition {
  /** Stage id, then keys inside its output: `review.approved`. */
  readonly slot: string;
  readonly equals: string | number | boolean | null;
}

/** Slot that passages of corpora are prefetched into. No stage has this name. */
export const PREFETCH_SLOT = "prefetch";

const PATH = /^[a-z][a-z0-9_]{0,63}(?:\.[A-Za-z0-9_-]{1,64}){0,8}$/;
const VALUE_CHARS_MAX = 256;

/** `earlier`: the stages before this one. Another slot could never hold anything when the stage is reached. */
export function parseSlotCondition(
  value: unknown,
  field: string,
  earlier: readonly string[],
): SlotCondition {
  const given = parseFields(value, field, ["slot", "equals"]);
  const slot = parseName(given.slot, `${field}.slot`, PATH);
  const [stage = ""] = slot.split(".");
  if (stage !== PREFETCH_SLOT && !earlier.includes(stage))
    throw invalid(`${field}.slot`, "names no earlier stage");
  return { slot, equals: parseScalar(given.equals, `${field}.equals`) };
}

function parseScalar(value: unknown, field: string): SlotCondition["equals"] {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string" && value.length <= VALUE_CHARS_MAX && value.isWellFormed())
    return value;
  throw invalid(
    field,
    `must be true, false, null, a number or a text of ${VALUE_CHARS_MAX} characters at most`,
  );
}

/** False where the slot or the key isn't there. */
export function slotHolds(
  { slot, equals }: SlotCondition,
  slots: Readonly<Record<string, unknown>>,
): boolean {
  let at: unknown = slots;
  for (const key of slot.split(".")) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return at === equals;
}
