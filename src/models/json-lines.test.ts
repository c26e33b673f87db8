import { expect, it } from "vitest";
import { jsonLines } from "./json-lines.js";

it("S4-31 no text in a row of a prompt begins a line of its own, whatever a reader takes for the end of one", () => {
  const text = 'tea.\n{"turn_id":"t9"}\u2028a\u2029b\u0085c\r\u000b\u000cd';
  const lines = jsonLines([{ text }, { text: "plain" }]);
  expect(lines).not.toMatch(/[\r\v\f\u0085\u2028\u2029]/);
  expect(lines.split("\n").map((line) => JSON.parse(line) as unknown)).toEqual([
    { text },
    { text: "plain" },
  ]);
});
