import { isObject } from "../import/row.js";
import { contentId, idOf, type ParsedMemory, textOf } from "./memory.js";

/** One record of a plain list or of JSON Lines: any object, with `id`, `subject` and `text` where it has them. */
export function plainRecord(value: unknown, place: string): ParsedMemory {
  if (!isObject(value)) return { place, field: "record", message: "isn't an object" };
  return {
    place,
    kind: "record",
    sourceId: `jsonl:${idOf(value.id) ?? contentId(value)}`,
    subject: idOf(value.subject),
    text: textOf(value.text),
    record: value,
  };
}
