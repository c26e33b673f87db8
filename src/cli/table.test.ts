import { describe, expect, it } from "vitest";
import { table } from "./table.js";
import { widthOf } from "./widths.js";

const ID = "0199f0a2-7c11-7b3e-9d52-3c5f8f9f0a11";
const ADVICE =
  "ask with other words or ask the person: not found is not proof that it was never said";

const widest = (text: string) => Math.max(...text.split("\n").map(widthOf));
/** The text that the cells hold, without lines and breaks. */
const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}:-]+/gu, " ");

describe("a table", () => {
  it.each([
    ["advice", ["line", "what next"], [["1", ADVICE]]],
    ["wide characters", ["said"], [["渡し船は九時に出ます。".repeat(20)]]],
    ["a word without an end", ["said"], [["x".repeat(300)]]],
    ["more than fits side by side", ["a", "b", "c", "d"], [[ID, ID, ADVICE, ADVICE]]],
    [
      "rows without a head",
      [],
      [
        ["candidate", ID],
        ["proposes", ADVICE],
      ],
    ],
  ])("never gets wider than the terminal: %s", (_, head, rows) => {
    for (const columns of [60, 80, 120]) {
      expect(widest(table(head, rows, columns))).toBeLessThanOrEqual(columns);
    }
  });

  it("cuts no advice off, and breaks no id", () => {
    const text = table(["id", "what next"], [[ID, ADVICE]], 80);
    expect(text).toContain(ID);
    for (const word of ADVICE.split(" ")) expect(words(text)).toContain(word);
  });

  it("is no wider than its text", () => {
    expect(table(["a", "b"], [["1", "2"]], 80).split("\n")[1]).toBe("│ a │ b │");
  });

  it("takes what would move the cursor out of a cell", () => {
    expect(table(["said"], [["a\u001b[2Jb\nc"]], 80)).toContain("a [2Jb c");
  });
});
