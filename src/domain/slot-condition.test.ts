import { describe, expect, it } from "vitest";
import { MunimentError } from "./errors.js";
import { parseSlotCondition, slotHolds } from "./slot-condition.js";

const slots = {
  review: { approved: true, by: { role: "lead" }, score: 0 },
  answer: "yes",
  skipped: null,
};

describe("slot conditions", () => {
  it.each([
    ["review.approved", true, true],
    ["review.approved", "true", false],
    ["review.by.role", "lead", true],
    ["review.score", 0, true],
    ["review.score", false, false],
    ["answer", "yes", true],
    ["answer.length", 3, false],
    ["skipped", null, true],
    ["review.missing", null, false],
    ["missing", null, false],
    ["review.constructor", null, false],
    ["review.__proto__", null, false],
  ] as const)("S3-05 %s equals %j: %s", (slot, equals, expected) => {
    expect(slotHolds({ slot, equals }, slots)).toBe(expected);
  });

  it.each([
    ["a condition that isn't an object", "review", "when"],
    ["an unknown key", { slot: "review", equals: 1, not: true }, "when.not"],
    ["no slot", { equals: 1 }, "when.slot"],
    ["no value", { slot: "review" }, "when.equals"],
    ["an object as value", { slot: "review", equals: {} }, "when.equals"],
    ["a later or unknown stage", { slot: "later.ok", equals: true }, "when.slot"],
    ["an odd path", { slot: "review..ok", equals: true }, "when.slot"],
    ["a long text", { slot: "review", equals: "x".repeat(257) }, "when.equals"],
  ])("S3-05 refuses %s by its field", (_name, given, field) => {
    const parse = () => parseSlotCondition(given, "when", ["review"]);
    expect(parse).toThrow(MunimentError);
    expect(parse).toThrow(expect.objectContaining({ kind: "invalid_input", field }));
  });

  it("S3-08 may ask for the prefetched passages", () => {
    const found = { slot: "prefetch.outcome", equals: "matches" };
    expect(parseSlotCondition(found, "gate", [])).toEqual(found);
  });
});
