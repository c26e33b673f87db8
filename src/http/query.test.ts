import { describe, expect, it } from "vitest";
import { readQuery, refuseQuery } from "./query.js";

describe("query string", () => {
  it.each([
    ["0", 0],
    ["10", 10],
    ["999999999999999", 999_999_999_999_999],
    ["-1", "-1"],
    ["1.5", "1.5"],
    ["1e9", "1e9"],
    ["01", "01"],
    ["+1", "+1"],
    [" 1", " 1"],
    ["1\n", "1\n"],
    ["0x10", "0x10"],
    ["", ""],
    ["abc", "abc"],
    ["9999999999999999", "9999999999999999"],
    ["١", "١"],
  ])("reads limit %j as %j: only whole-number text is a number", (text, value) => {
    expect(readQuery({ limit: text })).toEqual({ limit: value });
    expect(readQuery({ version: text })).toEqual({ version: value });
  });

  it("leaves every other key's value text", () => {
    expect(readQuery({ cursor: "12", run: "3" })).toEqual({ cursor: "12", run: "3" });
  });

  it("reads an absent query as an empty one", () => {
    expect(readQuery(undefined)).toEqual({});
    expect(readQuery({})).toEqual({});
  });

  it("refuses a repeated key, and names no odd one", () => {
    expect(() => readQuery({ limit: ["1", "2"] })).toThrow(
      expect.objectContaining({ kind: "invalid_input", field: "limit" }),
    );
    expect(() => readQuery({ "jane@example.com": ["1", "2"] })).toThrow(
      expect.objectContaining({ field: "?" }),
    );
  });

  it.each([
    ["expand", "invalid_input"],
    ["tenant", "scope_in_input"],
    ["userId", "scope_in_input"],
  ])("refuses %s where no query is taken", (key, kind) => {
    expect(() => refuseQuery({ [key]: "x" })).toThrow(expect.objectContaining({ kind }));
    expect(() => refuseQuery({})).not.toThrow();
  });
});
