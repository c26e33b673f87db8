import { isObject, type Json } from "../import/row.js";
import { contentId, idOf, type ParsedMemory, textOf } from "./memory.js";

/**
 * A list of LangGraph store items, as `item.dict()` gives them in Python and as JavaScript serialises them, or rows of
 * the PostgreSQL table `store`, whose `prefix` is the namespace with dots. Whose an item is stands in its namespace, at a
 * place that only the application knows: the mapping file names it.
 */
export function langgraphItems(value: unknown): readonly ParsedMemory[] {
  const items = isObject(value) && Array.isArray(value.items) ? value.items : value;
  if (!Array.isArray(items)) {
    return [{ place: "file", field: "items", message: "isn't a list of store items" }];
  }
  return items.map((one: unknown, index) => langgraphItem(one, `item ${index + 1}`));
}

export function langgraphItem(item: unknown, place: string): ParsedMemory {
  if (!isObject(item)) return { place, field: "item", message: "isn't an object" };
  const namespace = namespaceOf(item);
  if (namespace === null) return { place, field: "namespace", message: "must be a list of labels" };
  const key = idOf(item.key);
  if (!isObject(item.value)) return { place, field: "value", message: "must be an object" };
  const id = key === null ? contentId(item) : JSON.stringify([...namespace, key]);
  return {
    place,
    kind: "item",
    sourceId: `langgraph:${id.length > ID_CHARS_MAX ? contentId(id) : id}`,
    subject: null,
    text: proseOf(item.value),
    record: { ...item, namespace },
  };
}

/** Namespaces may be long; an id stays well below the service's limit. */
const ID_CHARS_MAX = 200;

function namespaceOf({ namespace, prefix }: Json): readonly string[] | null {
  if (typeof prefix === "string" && namespace === undefined) return prefix.split(".");
  const isList = Array.isArray(namespace) && namespace.every((label) => typeof label === "string");
  return isList ? namespace : null;
}

/** The prose of a value, under the names that the common memory tools use; theirs may be nested once. */
function proseOf(value: Json): string | null {
  const { text, memory, content, data } = value;
  const inner = isObject(content) ? (content.content ?? content.text) : content;
  return textOf(text) ?? textOf(memory) ?? textOf(inner) ?? textOf(data);
}
