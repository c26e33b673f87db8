import { describe, expect, it } from "vitest";
import { withoutRecalled } from "./recalled-marks.js";

describe("recalled text", () => {
  const block = (text: string) => `<memory-0a1b2c3d layer="evidence">\n${text}\n</memory-0a1b2c3d>`;

  it.each([
    [
      "a block",
      `I live here. ${block("I live in Perth")} I work there.`,
      ["I live here.", "I work there."],
    ],
    [
      "a block without its end",
      `I live here. <memory-0a1b2c3d a="b">I live in Perth`,
      ["I live here."],
    ],
    [
      "a block without its beginning",
      `I live in Perth </memory-0a1b2c3d> I work there.`,
      ["I work there."],
    ],
    [
      "and nothing of the paragraphs above",
      `I live here.\n\nI live in Perth\nin a flat\n</memory-0a1b2c3d>\nI work there. Oslo\n</memory-0a1b2c3e>`,
      ["I live here."],
    ],
  ])("S4-31 is taken out: %s", (_name, text, left) => {
    const cut = withoutRecalled(text);
    expect(cut).toHaveLength(text.length);
    expect(
      cut
        .split(/\s{2,}/)
        .map((it) => it.trim())
        .filter(Boolean),
    ).toEqual(left);
  });
});
