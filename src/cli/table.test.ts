import fc from "fast-check";
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

  it("fits any terminal, whatever anybody wrote, and cuts nothing off", () => {
    const said = fc.string({ unit: "grapheme", maxLength: 60 });
    const word = fc.constantFrom("渡し船", "👩‍⚕️", "🇩🇪", "naïve", ID, "x".repeat(90), "2");
    const cell = fc.oneof(
      said,
      fc.array(word, { maxLength: 12 }).map((all) => all.join(" ")),
    );
    const shape = fc.integer({ min: 1, max: 8 }).chain((count) => {
      const row = fc.array(cell, { minLength: count, maxLength: count });
      return fc.record({ head: row, rows: fc.array(row, { minLength: 1, maxLength: 5 }) });
    });
    const letters = (cells: readonly string[]) =>
      cells.join("").replaceAll(/[\s─]|\p{C}/gu, "").length;
    fc.assert(
      fc.property(shape, fc.integer({ min: 40, max: 160 }), ({ head, rows }, columns) => {
        const text = table(head, rows, columns);
        expect(widest(text)).toBeLessThanOrEqual(columns);
        expect(letters([text])).toBeGreaterThanOrEqual(letters(rows.flat()));
      }),
      { numRuns: 100 },
    );
  });

  it("is no wider than its text", () => {
    expect(table(["a", "b"], [["1", "2"]], 80)).toBe("a  b\n─  ─\n1  2");
  });

  it("takes what would move the cursor out of a cell", () => {
    expect(table(["said"], [["a\u001b[2Jb\nc"]], 80)).toContain("a [2Jb c");
  });

  it("gives what a column can't use to those that would like more", () => {
    const text = table(["verdict", "why"], [["deny: cap_too_small", ADVICE]], 38);
    expect(text.split("\n")[1]).toMatch(/^─{13} {2}─{23}$/);
  });

  it("breaks scripts without spaces anywhere, before it gives a row up", () => {
    const rows = [["1.00", "渡し船は九時に出ます。".repeat(9), ID]];
    expect(table(["score", "said", "id"], rows, 80).split("\n")[0]).toMatch(/^score {2}said +id$/);
  });

  it("puts figures at the right of their column, and ids and times at the left", () => {
    const rows = [
      ["a", "9"],
      ["bb", ""],
      ["2026-12-01T03:15Z", "1200"],
    ];
    expect(table(["what", "tokens"], rows, 80).split("\n").slice(2)).toEqual([
      "a                       9",
      "bb",
      "2026-12-01T03:15Z    1200",
    ]);
  });

  it("that doesn't fit has its heads beside the values, in one width", () => {
    const head = ["id", "subject", "pack", "why"];
    const rows = [
      [ID, ID, ID, ADVICE],
      [ID, "ana", ID, "-"],
    ];
    const lines = table(head, rows, 80).split("\n");
    expect(lines.slice(0, 3)).toEqual([`id       ${ID}`, `subject  ${ID}`, `pack     ${ID}`]);
    expect(lines).toContain("");
    expect(lines.at(-1)).toBe("why      -");
  });
});
