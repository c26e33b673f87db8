import { isObject, type Json } from "../import/row.js";
import { contentId, idOf, type ParsedMemory, textOf } from "./memory.js";

/**
 * What mem0's `get_all` answers: `{results: [...]}` of the library and of the platform's pages, or the plain list of older
 * versions. Several pages in one list are read too.
 */
export function mem0Memories(value: unknown): readonly ParsedMemory[] {
  if (isObject(value) && Array.isArray(value.results)) return rows(value.results, "results");
  if (!Array.isArray(value)) {
    return [{ place: "file", field: "results", message: "is missing: not what get_all answers" }];
  }
  return value.some(isPage) ? value.flatMap(mem0Memories) : rows(value, "memory");
}

/** One memory on a line of its own. */
export function mem0Memory(value: unknown, place: string): ParsedMemory {
  if (!isObject(value)) return { place, field: "memory", message: "isn't an object" };
  const text = textOf(value.memory) ?? textOf(value.data);
  if (text === null) return { place, field: "memory", message: "must be text" };
  return {
    place,
    kind: "memory",
    sourceId: `mem0:${idOf(value.id) ?? contentId(value)}`,
    subject: idOf(value.user_id),
    text,
    record: value,
  };
}

function rows(all: readonly unknown[], list: string): readonly ParsedMemory[] {
  return all.map((one, index) => mem0Memory(one, `${list} ${index + 1}`));
}

function isPage(value: unknown): value is Json {
  return isObject(value) && Array.isArray(value.results);
}
