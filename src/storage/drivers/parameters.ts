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
  if (Array.isArray(value)) return `{${value.map(elementOf).join(",")}}`;
  return String(value);
}

function elementOf(value: unknown): string {
  if (value === null) return "null";
  const text =
    value instanceof Uint8Array
      ? `\\x${Buffer.from(value).toString("hex")}`
      : String(parameterOf(value));
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
