import { describe, expect, it } from "vitest";
import { hasOwnNumber, numbersIn, plainWords } from "./said.js";

describe("what was said", () => {
  it.each([
    ["I take 12.5 mg, twice-daily.", ["i", "take", "12.5", "mg", "twice-daily"]],
    [
      "\u0928\u092e\u0938\u094d\u0924\u0947 \u0915\u0940",
      ["\u0928\u092e\u0938\u094d\u0924\u0947", "\u0915\u0940"],
    ],
    ["...", []],
  ])("S4-05 %j is compared by its words, numbers with their points", (text, words) => {
    expect([...plainWords(text)]).toEqual(words);
  });

  it("S4-05 a long text of marks and points is no work", () => {
    // As long as a turn may be. One that tries again at each place takes minutes.
    expect(plainWords(`tea ${"\u0301.".repeat(32_000)}`).has("tea")).toBe(true);
    expect(plainWords("x.".repeat(32_000)).size).toBe(1);
  });

  it.each([
    ["109 units", "10⁹ units"],
    ["21 tablets", "2½ tablets"],
    ["12 mg", "1² mg"],
  ])("S4-05 %j isn't a number of %j", (text, cited) => {
    const [one, other] = [numbersIn(text), numbersIn(cited)];
    expect(hasOwnNumber(one, [other])).toBe(true);
    expect(hasOwnNumber(other, [other])).toBe(false);
  });
});
