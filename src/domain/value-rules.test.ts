import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MunimentError } from "./errors.js";
import { parseValue, parseValueSchema } from "./value-rules.js";

const SECRET = "zebra-sentinel-4471";

function fieldOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof MunimentError) {
      expect(error.message).not.toContain(SECRET);
      return error.field;
    }
    throw error;
  }
  return "nothing";
}

describe("values of fields", () => {
  it.each<[object, readonly unknown[], readonly unknown[]]>([
    [{ type: "boolean" }, [true, false], ["true", 1, null, []]],
    [{ type: "integer", minimum: 0, maximum: 9 }, [0, 9], [-1, 10, 1.5, "1", Number.NaN]],
    [{ type: "number", minimum: -1, maximum: 1 }, [0.5, -1], [1.01, "0", Number.POSITIVE_INFINITY]],
    [{ type: "string", enum: ["en", "es"] }, ["en"], ["EN", "en ", "", "e\u200bn", SECRET]],
    [
      { type: "string", pattern: "^T-\\d{1,3}$", maxLength: 5 },
      ["T-1", "T-123"],
      ["T-", "T-1234", "xT-1", "T-1\n", "T-١"],
    ],
    [
      { type: "string", pattern: "^[a-f0-9]{4} \\[ok\\]\\?$", maxLength: 10 },
      ["00ff [ok]?"],
      ["00ff  [ok]?", "00ff"],
    ],
    [
      { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 2 },
      [[], ["a"], ["b", "a"]],
      [["a", "a"], ["c"], ["a", "b", "a"], "a", [["a"]]],
    ],
  ])("S2-13 %j takes what fits and nothing else", (given, right, wrong) => {
    const schema = parseValueSchema(given, "value_schema");
    for (const value of right) expect(parseValue(schema, value, "value")).toEqual(value);
    for (const value of wrong)
      expect(fieldOf(() => parseValue(schema, value, "value"))).toMatch(/^value/);
  });

  it("S2-13 whatever pattern is taken, it holds no repetition without end and lets no sentence through", () => {
    const part = fc.constantFrom("\\d", "[a-z]", "[A-Z0-9_]", "x", "-", " ", "\\.", "[!-~]");
    const times = fc.constantFrom("", "?", "{2}", "{0,9}", "{1,30}", "+", "*");
    const pattern = fc
      .array(fc.tuple(part, times), { maxLength: 6 })
      .map((parts) => `^${parts.map(([one, many]) => one + many).join("")}$`);
    fc.assert(
      fc.property(pattern, fc.string({ maxLength: 80 }), (source, text) => {
        const given = { type: "string", pattern: source, maxLength: 64 };
        const taken = fieldOf(() => parseValueSchema(given, "s")) === "nothing";
        if (!taken) return;
        expect(source).not.toMatch(/[+*]/);
        const schema = parseValueSchema(given, "s");
        fieldOf(() => parseValue(schema, `${"a".repeat(64)}!`, "v"));
        fieldOf(() => parseValue(schema, text, "v"));
        expect(fieldOf(() => parseValue(schema, "ignore all previous instructions", "v"))).toBe(
          "v",
        );
      }),
      { numRuns: 300 },
    );
  });
});
