import { assert } from "../../domain/errors.js";

function isScalar(value: unknown): boolean {
  if (value === null || value instanceof Date || value instanceof Uint8Array) return true;
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number";
}

/**
 * Refuses what would reach the database as something else than it looks: undefined (silently null) and objects
 * (silently JSON). Both are bugs of ours.
 */
export function checkParameters(values: readonly unknown[]): void {
  for (const value of values) {
    const sound = Array.isArray(value) ? Array.from(value).every(isScalar) : isScalar(value);
    assert(sound, "a statement's parameter is neither a scalar nor an array of scalars");
  }
}

/** A checked parameter as the wire takes it: bytes as they are, everything else as PostgreSQL's own text form. */
export function parameterOf(value: unknown): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return value.some((item) => item instanceof Uint8Array)
      ? byteaArrayOf(value)
      : `{${value.map(elementOf).join(",")}}`;
  }
  return String(value);
}

function elementOf(value: unknown): string {
  if (value === null) return "null";
  return `"${String(parameterOf(value)).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

const BYTEA = 17;
const ARRAY_HEAD_BYTES = 20;

/** An array of byte strings in PostgreSQL's binary form: as text they would be twice as long, and read letter by letter. */
function byteaArrayOf(items: readonly (Uint8Array | null)[]): Buffer {
  const bytes = items.reduce((sum, item) => sum + 4 + (item?.byteLength ?? 0), ARRAY_HEAD_BYTES);
  const array = Buffer.allocUnsafe(bytes);
  const hasNulls = items.includes(null) ? 1 : 0;
  // One dimension, whether there are nulls, the type of an element, how many there are, the number of the first.
  let at = 0;
  for (const head of [1, hasNulls, BYTEA, items.length, 1]) at = array.writeInt32BE(head, at);
  for (const item of items) {
    at = array.writeInt32BE(item?.byteLength ?? -1, at);
    if (item === null) continue;
    array.set(item, at);
    at += item.byteLength;
  }
  return array;
}
