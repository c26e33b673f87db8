import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitted, forMachines, forPeople } from "./for-people.js";
import { widthOf } from "./widths.js";

const widest = (text: string) => Math.max(...text.split("\n").map(widthOf));

describe("what people see", () => {
  it("breaks lines between words, and indents what goes on", () => {
    expect(fitted("next: correct the value that is named and try again", 30)).toBe(
      "next: correct the value that\n  is named and try again",
    );
    expect(fitted("  as it is\nand this", 30)).toBe("  as it is\nand this");
  });

  it("keeps a command in backticks and a quoted text whole", () => {
    const text = 'see `muniment jobs list` and speaker="Jane Citizen" here';
    for (const columns of [47, 48])
      expect(fitted(text, columns).split("\n")).toEqual([
        "see `muniment jobs list` and",
        '  speaker="Jane Citizen" here',
      ]);
  });

  it("breaks a command so that it can be copied", () => {
    const command = "  muniment recall --route chat --subject 'Jane Citizen' --tenant t";
    const text = fitted(command, 48);
    expect(text.split("\n")).toEqual([
      "  muniment recall --route chat --subject \\",
      "    'Jane Citizen' --tenant t",
    ]);
    expect(text.replaceAll(/ \\\n +/g, " ")).toBe(command);
    const quoted = "muniment recall --route chat --subject 'O'\\''Brien of the bank' --tenant t";
    expect(fitted(quoted, 48).split("\n")[1]).toBe("  'O'\\''Brien of the bank' --tenant t");
  });

  it("gives a command at the end of a line that is too wide one of its own", () => {
    expect(fitted("next: see which there are: muniment route list --tenant t", 48)).toBe(
      "next: see which there are:\n  muniment route list --tenant t",
    );
    expect(fitted("next: muniment route list", 48)).toBe("next: muniment route list");
  });

  it("fits any terminal, and loses no word", () => {
    const word = fc.constantFrom(
      "a",
      "渡し船は",
      "👩‍⚕️",
      "`x y`",
      '"said so"',
      "isn't",
      "x".repeat(30),
    );
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 40, max: 120 }), (words, columns) => {
        const text = fitted(words.join(" "), columns);
        expect(widest(text)).toBeLessThanOrEqual(columns);
        expect(text.replaceAll(/\n +/g, " ")).toBe(words.join(" "));
      }),
    );
  });

  it("is for people alone: machines and those who read a pack get it as it is", () => {
    const lines: string[] = [];
    const output = { out: (line: string) => void lines.push(line), err: () => undefined };
    const long = "word ".repeat(40).trim();
    forMachines(output).out(long);
    forPeople(output).verbatim(long);
    expect(lines).toEqual([long, long]);
  });
});
