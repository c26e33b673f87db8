import { assert } from "../../domain/errors.js";

function isScalar(value: unknown): boolean {
  if (value === null || value instanceof Date || value instanceof Uint8Array) return true;
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number";
}

/**
 * Refuses what would reach the database as something else than it looks: undefined (silently null) and objects
 * (silently JSON). Both are bugs of ours.
 */
export function checkParameters(values: readonly unknown[]): unknown[] {
  for (const value of values) {
    const sound = Array.isArray(value) ? Array.from(value).every(isScalar) : isScalar(value);
    assert(sound, "a statement's parameter is neither a scalar nor an array of scalars");
  }
  return [...values];
}
