import { createHash } from "node:crypto";
import type { Json, Unreadable } from "../import/row.js";

/** What another system called one thing that it remembered. */
export const MEMORY_KINDS = ["memory", "item", "block", "passage", "record"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** One thing that another system remembered, as it exported it. Nothing of it is believed yet. */
export interface Memory {
  /** Where it stands in its file, such as `results 3`. */
  readonly place: string;
  readonly kind: MemoryKind;
  /** Stable between exports of the same system, so that a repeated migration finds it again. */
  readonly sourceId: string;
  /** Whose it is, where the export says so. */
  readonly subject: string | null;
  /** Its prose, where it has any. */
  readonly text: string | null;
  /** The whole of it, for paths of the mapping file. */
  readonly record: Json;
}

export type ParsedMemory = Memory | Unreadable;

/** Id of a thing without one of its own: the same content is the same thing. Key order doesn't count. */
export function contentId(record: unknown): string {
  return `sha256-${createHash("sha256").update(canonical(record)).digest("hex")}`;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** An id as exports write it: text, or a number. */
export function idOf(value: unknown): string | null {
  return typeof value === "number" ? String(value) : textOf(value);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
