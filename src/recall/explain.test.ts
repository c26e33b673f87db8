import { describe, expect, it } from "vitest";
import { whyAbove } from "./explain.js";

const PARTS = { words: 4, previous: 1, next: 0, session: 1, speaker: 1, recency: 1 };
const hit = (parts: Record<string, number>, score = 6) => ({
  score,
  parts,
});

describe("explanation of a rank", () => {
  it.each([
    ["words", { ...PARTS, words: 6 }, 8],
    ["previous", { ...PARTS, previous: 3 }, 8],
    ["speaker", { ...PARTS, speaker: 1.6 }, 9.6],
    ["recency", { ...PARTS, words: 4.1, recency: 1.3 }, 7.93],
    ["newer", PARTS, 6],
  ])("S4-12 names the part that puts a hit above the next: %s", (part, parts, score) => {
    expect(whyAbove(hit(parts, score), hit(PARTS))).toBe(part);
  });

  it("S4-12 names none for the last hit, and none where nothing was matched", () => {
    expect(whyAbove(hit(PARTS), undefined)).toBeNull();
    expect(whyAbove(hit({}, 0), hit({}, 0))).toBeNull();
  });
});
