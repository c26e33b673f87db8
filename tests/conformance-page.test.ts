import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { missingRows, render, rowsOf, unknownIds } from "../scripts/conformance.js";
import { lastLine, outcomeOf } from "../scripts/outcome.js";

const requirements = {
  claimed: { "S1-01": "modes are closed", "S1-02": "versions stay", "S1-03": "pins hold" },
  later: ["S5-14"],
};

function report(tests: readonly (readonly [suite: string, title: string, status: string])[]) {
  const assertionResults = tests.map(([suite, title, status]) => ({
    ancestorTitles: [suite],
    title,
    status,
  }));
  return { testResults: [{ name: "/p/tests/a.test.ts", status: "passed", assertionResults }] };
}

function missing(tests: Parameters<typeof report>[0]) {
  return missingRows(requirements, rowsOf(requirements, report(tests), "/p/"));
}

describe("conformance page", () => {
  it("asks for a passing test of each claimed id on both databases", () => {
    expect(missing([])).toEqual(["S1-01", "S1-02", "S1-03"]);
    expect(
      missing([
        ["rules", "S1-01 a pure rule", "passed"],
        ["routes on pglite", "S1-02 one", "passed"],
        ["routes on postgres 18", "S1-02 one", "passed"],
        ["runs on pglite", "S1-03 one", "passed"],
      ]),
    ).toEqual(["S1-03"]);
  });

  it("counts neither a failed nor a skipped test", () => {
    expect(
      missing([
        ["rules", "S1-01 one", "passed"],
        ["rules on postgres 15", "S1-01 one", "failed"],
        ["rules", "S1-02 S1-03 two", "skipped"],
      ]),
    ).toEqual(["S1-01", "S1-02", "S1-03"]);
  });

  it("renders the same bytes whatever order the tests ran in", () => {
    const tests = [
      ["pglite", "S1-01 b", "passed"],
      ["postgres 18", "S1-01 a", "passed"],
      ["pglite", "S1-01 a", "passed"],
    ] as const;
    const page = render(rowsOf(requirements, report(tests), "/p/"));
    expect(render(rowsOf(requirements, report(tests.toReversed()), "/p/"))).toBe(page);
    expect(page).toContain("| [S1-01](#s1-01) | modes are closed | pass | pass | 2 |");
    expect(page).toContain("- a (`tests/a.test.ts`)\n- b (`tests/a.test.ts`)");
    expect(page).toContain("Not claimed yet: S5-14.");
  });

  it("finds an id that no requirement has", () => {
    expect(unknownIds(requirements, report([["x", "S1-99 typo", "passed"]]))).toEqual(["S1-99"]);
  });

  it("lists every requirement once", () => {
    const file = resolve(import.meta.dirname, "../docs/requirements.json");
    const { claimed, later } = JSON.parse(readFileSync(file, "utf8"));
    const ids = [...Object.keys(claimed), ...later];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(140);
  });
});

describe("outcome of a test run", () => {
  const one = report([["x", "a", "passed"]]);

  it("counts a file that broke before its first test", () => {
    const broken = { name: "/p/tests/b.test.ts", status: "failed", assertionResults: [] };
    const outcome = outcomeOf({ testResults: [...one.testResults, broken] }, 1);
    expect(lastLine(outcome)).toBe("1 passed, 1 failed");
  });

  it.each([
    ["no report", null, 0],
    ["an error outside of tests", one, 1],
    ["no tests", { testResults: [] }, 0],
  ])("fails on %s", (_, given, exitCode) => {
    expect(outcomeOf(given, exitCode).failed).toBe(1);
  });
});
