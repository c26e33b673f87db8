import { describe, expect, it } from "vitest";
import { ITEM_KINDS } from "../domain/assembly/candidate.js";
import { counted } from "./counted.js";
import { lineSource, shortId } from "./source.js";
import { timeOf } from "./time.js";

const ID = "0199f0a2-7c11-7b3e-9d52-3c5f8f9f0a11";

describe("a count", () => {
  it.each([
    [1, "turn", "1 turn"],
    [2, "turn", "2 turns"],
    [0, "session", "0 sessions"],
    [2, "criterion", "2 criteria"],
    [3, "memory", "3 memories"],
    [1, "field_value", "1 field value"],
    [2, "work", "2 jobs"],
    [2, "working", "2 working rows"],
  ])("of %i %s is `%s`", (count, kind, text) => {
    expect(counted(count, kind)).toBe(text);
  });

  it("of more than one kind of line is never the word for one", () => {
    for (const kind of ITEM_KINDS) {
      expect(counted(2, kind)).not.toBe(`2 ${counted(1, kind).slice(2)}`);
    }
  });
});

describe("a source", () => {
  it.each([
    ["turn", [ID], "turn:3c5f8f9f0a11"],
    ["note", [`note:${ID}`], "note:3c5f8f9f0a11"],
    ["slot", ["slot:lookup"], "slot:lookup"],
    ["goal", ["goal"], "goal"],
    ["user_model", [ID, ID], "user_model:3c5f8f9f0a11 3c5f8f9f0a11"],
  ])("of a line of kind %s is shown by the end of its id", (kind, source, shown) => {
    expect(lineSource(kind, source)).toBe(shown);
  });

  it("that is no id of ours stays as it is", () => {
    expect(shortId("order-0199f0a27c117b3e9d52")).toBe("order-0199f0a27c117b3e9d52");
  });
});

it("a time is shown to the minute, with its zone", () => {
  expect(timeOf("2026-11-30T23:16:50.515Z")).toBe("2026-11-30T23:16Z");
  expect(timeOf("2026-02-01T08:00:00+01:00")).toBe("2026-02-01T07:00Z");
});
