import { describe, expect, it } from "vitest";
import { pastedInto } from "./paste.js";

const source = { id: "t1", text: "The fee of 4.50 was waived\nin March" };

describe("copies of recalled text", () => {
  it.each([
    ["the same text", source.text, ["t1"]],
    ["inside other text", `Remember: ${source.text}. Anything else?`, ["t1"]],
    ["as JSON writes it", JSON.stringify({ note: source.text }), ["t1"]],
    ["in other case and spacing", "THE FEE  OF 4.50 WAS WAIVED IN MARCH", ["t1"]],
    ["in decomposed characters", source.text.normalize("NFKD"), ["t1"]],
    ["in other words", "the March fee was given back", []],
    ["a part of it alone", "The fee of 4.50", []],
    ["nothing", "", []],
  ])("%s", (_, line, expected) => {
    expect(pastedInto(line, [source])).toEqual(expected);
  });

  it("a short text stands in others by chance: it isn't taken for a copy", () => {
    expect(pastedInto("yes, please do that for me", [{ id: "t2", text: "yes, please" }])).toEqual(
      [],
    );
    expect(pastedInto("anything", [{ id: "t3", text: "…" }])).toEqual([]);
  });
});
