import { assert } from "../domain/errors.js";

/** A direction: 127 steps to each side for the largest of its values. */
export interface Vector {
  readonly values: Int8Array;
  /** What one step is worth, once the vector's length is taken as 1. */
  readonly scale: number;
}

const STEPS = 127;

/** Null for a vector without a direction. */
export function vectorOf(values: Float32Array): Vector | null {
  let sum = 0;
  let largest = 0;
  for (const value of values) {
    sum += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  if (!Number.isFinite(sum) || largest === 0) return null;
  const steps = Int8Array.from(values, (value) => Math.round((value / largest) * STEPS));
  return { values: steps, scale: largest / STEPS / Math.sqrt(sum) };
}

/** Cosine of the angle between two vectors of one model: 1 for the same direction. */
export function likeness(a: Vector, b: Vector): number {
  let sum = 0;
  for (let at = 0; at < a.values.length; at += 1) sum += (a.values[at] ?? 0) * (b.values[at] ?? 0);
  return sum * a.scale * b.scale;
}

/** The vectors of one text's pieces as bytes to seal: their length, then each with its scale. None is no bytes. */
export function encodeVectors(vectors: readonly Vector[]): Uint8Array {
  const dimension = vectors[0]?.values.length ?? 0;
  if (dimension === 0) return new Uint8Array();
  const size = 4 + dimension;
  const bytes = new Uint8Array(4 + vectors.length * size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, dimension, true);
  for (const [at, { values, scale }] of vectors.entries()) {
    assert(values.length === dimension, "vectors of one model have one length");
    view.setFloat32(4 + at * size, scale, true);
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, dimension), 8 + at * size);
  }
  return bytes;
}

export function decodeVectors(bytes: Uint8Array): readonly Vector[] {
  if (bytes.length === 0) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const dimension = view.getUint32(0, true);
  const size = 4 + dimension;
  const vectors: Vector[] = [];
  for (let at = 4; at < bytes.length; at += size)
    vectors.push({
      scale: view.getFloat32(at, true),
      values: Int8Array.from(bytes.subarray(at + 4, at + size), (byte) => (byte << 24) >> 24),
    });
  return vectors;
}
