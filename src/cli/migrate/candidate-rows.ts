import { isUnreadable, type Parsed } from "../import/row.js";
import { type Extracted, extract, subjectOf, type Unfit } from "./extract.js";
import type { FieldMap } from "./field-map.js";
import type { MemoryKind, ParsedMemory } from "./memory.js";

/** What an export held, by kind, and how much of it no rule made anything of. That part is not kept anywhere. */
export interface Seen {
  readonly memories: Partial<Record<MemoryKind, number>>;
  unmapped: number;
}

/**
 * Proposals for fields out of an export, as the service takes them. `seen` is counted up on the way. A value that a rule
 * can't name is passed on as unreadable, without the value.
 */
export async function* candidateRows(
  memories: AsyncIterable<ParsedMemory>,
  map: FieldMap,
  seen: Seen,
): AsyncGenerator<Parsed> {
  for await (const memory of memories) {
    if (isUnreadable(memory)) {
      yield memory;
      continue;
    }
    seen.memories[memory.kind] = (seen.memories[memory.kind] ?? 0) + 1;
    const found = extract(memory, map);
    if (found.length === 0) seen.unmapped += 1;
    for (const one of found) {
      const place = `${memory.place}, ${one.fieldId}`;
      if (isUnfit(one)) {
        yield { place, field: one.fieldId, message: one.message };
        continue;
      }
      const { fieldId: field_id, value } = one;
      const row = { field_id, value, source_id: memory.sourceId };
      yield { place, subject: subjectOf(memory, map), row };
    }
  }
}

function isUnfit(one: Extracted | Unfit): one is Unfit {
  return "message" in one;
}
