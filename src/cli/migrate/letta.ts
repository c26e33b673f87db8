import { isObject, type Json } from "../import/row.js";
import { contentId, idOf, type ParsedMemory, textOf } from "./memory.js";

/**
 * Memory blocks and archival passages of Letta: an agent file (`.af`) with `blocks`, the older one with `core_memory`, or
 * what the API lists as blocks or as archival passages. Messages in an agent file are a transcript, not memory: they are
 * left where they are.
 */
export function lettaMemories(value: unknown): readonly ParsedMemory[] {
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => lettaMemory(one, `entry ${index + 1}`));
  }
  if (!isObject(value)) return [{ place: "file", field: "file", message: "isn't an agent file" }];
  const found = LISTS.flatMap((list) => {
    const entries = value[list];
    if (!Array.isArray(entries)) return [];
    return entries.map((one: unknown, index) => lettaMemory(one, `${list} ${index + 1}`));
  });
  if (found.length > 0 || LISTS.some((list) => Array.isArray(value[list]))) return found;
  return [{ place: "file", field: "blocks", message: "are missing: not an agent file" }];
}

const LISTS = ["blocks", "core_memory", "passages", "archival_memory"] as const;

export function lettaMemory(value: unknown, place: string): ParsedMemory {
  if (!isObject(value)) return { place, field: "entry", message: "isn't an object" };
  return "label" in value ? block(value, place) : passage(value, place);
}

function block(value: Json, place: string): ParsedMemory {
  if (textOf(value.label) === null) return { place, field: "label", message: "must be text" };
  if (typeof value.value !== "string") return { place, field: "value", message: "must be text" };
  // An agent file numbers its blocks anew (`block-0`), so the id alone doesn't tell two files apart.
  const id = contentId([value.label, value.value]);
  return {
    place,
    kind: "block",
    sourceId: `letta:${id}`,
    subject: null,
    text: textOf(value.value),
    record: value,
  };
}

function passage(value: Json, place: string): ParsedMemory {
  const text = textOf(value.text);
  if (text === null) return { place, field: "text", message: "must be text" };
  const { embedding: _vector, ...record } = value;
  const id = idOf(value.id) ?? contentId(record);
  return { place, kind: "passage", sourceId: `letta:${id}`, subject: null, text, record };
}
