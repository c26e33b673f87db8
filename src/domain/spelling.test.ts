import { describe, expect, it } from "vitest";
import { foldSpelling } from "./spelling.js";

describe("spelling", () => {
  it.each([
    ["10⁹ units", "109 units"],
    ["1² mg", "12 mg"],
    ["2½ tablets", "21⁄2 tablets"],
    ["①", "1"],
    ["H₂O", "H2O"],
    ["5㍘", "50点"],
    ["2ⁿ", "2n"],
  ])("S4-07 tells %j from %j: another number", (one, other) => {
    expect(foldSpelling(one)).not.toBe(foldSpelling(other));
  });

  it.each([
    ["PENICILLIN", "penicillin"],
    ["Müsli", "Mu\u0308sli"],
    ["５ｍｇ", "5mg"],
    ["5 µg", "5 μg"],
    ["5㎎", "5mg"],
    ["ﬁne", "fine"],
    ["ﾃﾞｰﾀ", "データ"],
    ["\u212b", "\u00c5"],
  ])("S4-07 doesn't tell %j from %j: the same in another form", (one, other) => {
    expect(foldSpelling(one)).toBe(foldSpelling(other));
  });
});
