import { describe, expect, it } from "vitest";
import { isQuoted, type KeptObservation, repeated } from "../../eval/observed.js";

const texts = new Map([["t1", "I moved to Porto. I like it"]]);
const made: KeptObservation = {
  dimension: "change",
  text: "I moved to Porto.",
  basis: "quoted",
  turnIds: ["t1"],
  quotes: [{ turn_id: "t1", start: 0, end: 17 }],
};

describe("what is measured of observations", () => {
  it.each([
    ["its own words", made, true],
    ["other words of the turn", { ...made, text: "I like it" }, false],
    ["a model's words", { ...made, text: "Lives in Porto", basis: "generated" }, true],
    [
      "a place behind the turn's end",
      { ...made, quotes: [{ turn_id: "t1", start: 90, end: 99 }] },
      false,
    ],
    ["a turn that it doesn't cite", { ...made, turnIds: ["t2"] }, false],
    ["no quote at all", { ...made, quotes: [] }, false],
  ])("S4-05 an observation with %s is %s", (_, observation, expected) => {
    expect(isQuoted({ observations: [], texts })(observation)).toBe(expected);
  });

  it("S4-05 one that says the same, or rests on the same words, in its dimension is a repeat", () => {
    const again = { ...made, text: "i  moved to Porto.", quotes: [] };
    const overlapping = { ...made, text: "Lives in Porto" };
    const other = { ...made, dimension: "goals" };
    expect(repeated([made, other])).toBe(0);
    expect(repeated([made, again, overlapping])).toBe(2);
  });
});
