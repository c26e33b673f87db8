import { fieldPath, invalid, isObject } from "./fields.js";

/** Output of one completed stage, kept in its slot. */
export interface SlotValue {
  readonly stage_id: string;
  readonly value: unknown;
}

export interface MergeSource {
  readonly goal: Readonly<Record<string, unknown>>;
  /** In the order in which the stages were completed. */
  readonly slots: readonly SlotValue[];
  /** JSON Schema of the next capability's input. Without one no slot key is taken. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The run's notes, where the capability is to see them. */
  readonly notes?: readonly string[] | undefined;
}

/**
 * Input of the next capability: the goal, prior-slot keys that stand on its input schema, notes where given, and
 * nothing else. The goal wins a collision, then notes, then the later stage.
 */
export function mergeInput(source: MergeSource): Record<string, unknown> {
  const merged = new Map<string, unknown>();
  const wanted = source.inputSchema?.properties;
  for (const { value } of source.slots) {
    if (!isObject(value) || !isObject(wanted)) continue;
    for (const [key, item] of Object.entries(value)) {
      if (Object.hasOwn(wanted, key)) merged.set(key, item);
    }
  }
  if (source.notes !== undefined) merged.set("notes", [...source.notes]);
  for (const [key, item] of Object.entries(source.goal)) merged.set(key, item);
  return toObject(merged);
}

/** What a child agent may see of its parent: the slots that are named, by stage id. A name without a slot is refused. */
export function projectSlots(
  slots: readonly SlotValue[],
  names: readonly string[],
): Record<string, unknown> {
  const byStage = new Map(slots.map((slot) => [slot.stage_id, slot.value]));
  const projected = new Map<string, unknown>();
  for (const [index, name] of names.entries()) {
    if (!byStage.has(name)) throw invalid(fieldPath("slots", index), "names no slot of this run");
    projected.set(name, byStage.get(name));
  }
  return toObject(projected);
}

/** `__proto__` is left out: as an own key it would turn into a prototype at the next plain assignment. */
function toObject(entries: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...entries].filter(([key]) => key !== "__proto__"));
}
