import { expect, it } from "vitest";
import { ERROR_KINDS } from "../domain/errors.js";
import { NEXT_STEP, outcomeOfRefusal, withPending } from "./outcome.js";

it("S4-12 each outcome names a next step of its own", () => {
  expect(Object.keys(NEXT_STEP)).toEqual(["matches", "no_matches", "no_subject", "unavailable"]);
  expect(new Set(Object.values(NEXT_STEP)).size).toBe(4);
});

it("S4-12 nobody there and nothing to search by are outcomes, other refusals are none", () => {
  expect(ERROR_KINDS.filter((kind) => outcomeOfRefusal(kind) !== null)).toEqual([
    "not_found",
    "unavailable",
  ]);
  expect(outcomeOfRefusal("not_found")).toBe("no_subject");
  expect(outcomeOfRefusal("unavailable")).toBe("unavailable");
});

it("S4-21 turns that aren't searchable yet count as there, not as searched", () => {
  const coverage = { searched: 4, of: 6, capped: true, pending: 0 };
  expect(withPending(coverage, 3)).toEqual({ searched: 4, of: 9, capped: true, pending: 3 });
});
