import { describe, expect, it } from "vitest";
import { problems, takeOut } from "../scripts/fence-check.js";

const red = [{ file: "tests/a.test.ts", title: "fence of rows" }];
const leaks = [{ file: "tests/a.test.ts", title: "doors" }];

function found(fence: string, ...doors: readonly string[]): readonly string[] {
  const test = (title: string, status: string) => ({ ancestorTitles: ["suite"], title, status });
  const assertionResults = [test("fence of rows", fence), ...doors.map((s) => test("doors", s))];
  const file = { name: "/copy/tests/a.test.ts", status: "failed", assertionResults };
  return problems({ testResults: [file] }, { red, leaks }, "/copy/");
}

describe("fence check", () => {
  it("is content where the fence's test is red and nothing leaks", () => {
    expect(found("failed", "passed", "passed")).toEqual([]);
  });

  it.each([
    ["its test stays green", ["passed", "passed"], "stays green: tests/a.test.ts /fence of rows/"],
    ["its test was skipped", ["skipped", "passed"], "stays green: tests/a.test.ts /fence of rows/"],
    ["a door leaks", ["failed", "passed", "failed"], "leaks: tests/a.test.ts /doors/"],
    ["no door ran", ["failed", "skipped"], "didn't run: tests/a.test.ts /doors/"],
  ] as const)("complains where %s", (_, [fence, ...doors], problem) => {
    expect(found(fence, ...doors)).toEqual([problem]);
  });

  it("takes a fence out where it finds it exactly once", () => {
    const edit = { file: "a.sql", find: "tenant_id = (\\w+)", replace: "$1 = $1" };
    expect(takeOut("where tenant_id = me", edit)).toBe("where me = me");
    expect(() => takeOut("where true", edit)).toThrow("matches 0 times");
    expect(() => takeOut("tenant_id = a or tenant_id = b", edit)).toThrow("matches 2 times");
  });
});
