import { describe, expect, it } from "vitest";
import { Stillness } from "./stillness.js";

const settled = (stillness: Stillness): number => {
  let looks = 0;
  while (!stillness.isLikely) {
    stillness.saw(true);
    looks += 1;
  }
  return looks;
};

describe("stillness", () => {
  it("S4-10 is likely after two looks that found nothing moved, and not after one that did, or a write", () => {
    const stillness = new Stillness();
    expect(settled(stillness)).toBe(2);
    stillness.saw(false);
    expect(settled(stillness)).toBe(2);
    stillness.stir();
    expect(settled(stillness)).toBe(2);
  });

  it("S4-10 takes longer with each guess that failed, up to a bound", () => {
    const stillness = new Stillness();
    const looks = Array.from({ length: 5 }, () => {
      stillness.failed();
      return settled(stillness);
    });
    expect(looks).toEqual([8, 32, 128, 128, 128]);
  });
});
