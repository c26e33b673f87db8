import { afterAll, describe, expect, it } from "vitest";
import { createEnglishEmbedder } from "./english-embedder.js";

const patience = () => AbortSignal.timeout(30_000);

describe("English embedder", () => {
  const embedder = createEnglishEmbedder();
  afterAll(() => embedder.close());

  it("S4-11 sets texts that mean alike close together, in the order in which they came", async () => {
    const texts = [
      "My kitten sleeps all day.",
      "The cat is always asleep.",
      "The loan was refused.",
    ];
    const many = Array.from({ length: 17 }, () => texts).flat();
    const vectors = await embedder.embed(many, patience());
    expect(vectors).toHaveLength(many.length);
    const [kitten, cat, loan] = vectors.slice(-3);
    const dot = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(dot(kitten, cat)).toBeGreaterThan(dot(kitten, loan) + 0.2);
    expect(dot(kitten, vectors[0])).toBeCloseTo(1, 3);
  });

  it("S4-11 gives up when it is told to", async () => {
    await expect(embedder.embed(["late"], AbortSignal.abort(new Error("no time")))).rejects.toThrow(
      "no time",
    );
  });

  it("S4-11 fails who still waits when it is closed", async () => {
    const other = createEnglishEmbedder();
    const waiting = other.embed(["never"], patience());
    await other.close();
    await expect(waiting).rejects.toThrow("has ended");
  });
});
