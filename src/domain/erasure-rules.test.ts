import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ERASURE_REASONS } from "./erasure.js";
import { RETURN_RULES, type Returning } from "./erasure-rules.js";

const DAY = 86_400_000;
const FORGOTTEN = new Date("2026-03-01T00:00:00Z");
const ITEM: Returning = {
  observedAt: new Date(FORGOTTEN.getTime() - DAY),
  forgottenAt: FORGOTTEN,
};
const LATER = { observedAt: new Date(FORGOTTEN.getTime() + DAY) };

describe("what may come again", () => {
  it.each([
    ["erase", {}, false],
    ["erase", { observedAt: FORGOTTEN }, false],
    ["erase", LATER, true],
    ["correct", LATER, false],
    ["expire", {}, true],
    ["retract", LATER, false],
    ["policy", {}, true],
  ] as const)("after %s, with %o: %s", (reason, change, taken) => {
    expect(RETURN_RULES[reason].takes({ ...ITEM, ...change })).toBe(taken);
  });

  it("S2-28 the page about forgetting says for each reason what the rules say", () => {
    const page = readFileSync(
      resolve(import.meta.dirname, "../../docs/concepts/forgetting.md"),
      "utf8",
    );
    for (const reason of ERASURE_REASONS) {
      const { import: imported, statement, request } = RETURN_RULES[reason];
      expect(page).toContain(`| \`${reason}\` | ${imported} | ${statement} | ${request} |`);
    }
  });
});
