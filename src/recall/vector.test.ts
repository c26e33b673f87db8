import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuse } from "./fuse.js";
import { textPieces } from "./text-pieces.js";
import { decodeVectors, encodeVectors, likeness, type Vector, vectorOf } from "./vector.js";

const anyValues = fc
  .array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 8, maxLength: 8 })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => Float32Array.from(values));

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function sound(values: Float32Array): Vector {
  const vector = vectorOf(values);
  if (vector === null) throw new Error("it has a direction");
  return vector;
}

describe("vector", () => {
  it("S4-11 tells how like two texts are to about a hundredth, whatever their length", () => {
    fc.assert(
      fc.property(anyValues, anyValues, (a, b) => {
        expect(likeness(sound(a), sound(b))).toBeCloseTo(cosine(a, b), 1.5);
        expect(likeness(sound(a), sound(a))).toBeCloseTo(1, 1.5);
      }),
    );
  });

  it("S4-11 comes back from its sealed form as it was", () => {
    fc.assert(
      fc.property(fc.array(anyValues, { maxLength: 4 }), (pieces) => {
        const vectors = pieces.map(sound);
        const bytes = Buffer.concat([Buffer.of(1), encodeVectors(vectors)]).subarray(1);
        const decoded = decodeVectors(bytes);
        expect(decoded.map(({ values }) => values)).toEqual(vectors.map(({ values }) => values));
        for (const [at, { scale }] of decoded.entries())
          expect(scale).toBeCloseTo(vectors[at]?.scale ?? 0, 6);
      }),
    );
  });

  it("S4-11 is none where a text has no direction", () => {
    for (const values of [[], [0, 0], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1]])
      expect(vectorOf(Float32Array.from(values))).toBeNull();
  });
});

describe("text pieces", () => {
  it("S4-11 hold all of a text, well-formed and no longer than allowed", () => {
    const anyText = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, charsMax) => {
        const pieces = textPieces(text, charsMax);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(charsMax);
          expect(piece.isWellFormed()).toBe(true);
        }
        const solid = (part: string) => part.replaceAll(/\s/gu, "");
        expect(solid(pieces.join(""))).toBe(solid(text));
      }),
    );
  });

  it("S4-11 end between words", () => {
    expect(textPieces("the walrus sings at night", 12)).toEqual([
      "the walrus",
      "sings at",
      "night",
    ]);
  });
});

describe("fusion", () => {
  const scores = Float64Array.of(4, 2, 0, 0);
  const byWords = { scores, matched: [0, 1], possible: 8 };

  it("S4-11 changes nothing where nobody can tell a meaning, or nothing means alike", () => {
    expect(fuse(byWords, null)).toBe(byWords);
    expect(fuse(byWords, Float64Array.of(0.1, 0.1, 0.1, 0))).toBe(byWords);
  });

  it("S4-11 lifts what means alike, brings in what shares no word, and takes nothing from any turn", () => {
    const anyLikeness = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(anyLikeness, (values) => {
        const fused = fuse(byWords, Float64Array.from(values));
        for (const [slot, score] of scores.entries()) {
          expect(fused.scores[slot]).toBeGreaterThanOrEqual(score);
          expect(fused.matched.includes(slot)).toBe((fused.scores[slot] ?? 0) > 0);
          for (const [other, less] of scores.entries())
            if (less === score && (values[other] ?? 0) <= (values[slot] ?? 0))
              expect(fused.scores[other]).toBeLessThanOrEqual(fused.scores[slot] ?? 0);
        }
      }),
    );
  });
});
