import { describe, expect, it } from "vitest";
import { sentencesOf } from "./sentences.js";

describe("a sentence", () => {
  it.each([
    ["an abbreviation", "I am allergic according to Dr. Smith, but the test says I'm not."],
    ["abbreviations in German", "Ich nehme z. B. kein Aspirin bzw. Marcumar lt. Arztbrief mehr."],
    ["a date", "Ich nehme Blutverdünner seit dem 3. Mai nicht mehr."],
    ["a rank", "Ich wohne im 2. Stock nicht mehr."],
    ["a line that leaves its clause open", "It isn't so that\nI am allergic to penicillin."],
    ["a line that denies", "Nobody ever said\r\nI have a dog allergy."],
    ["a line that goes on small", "My doctor says about the allergy\nthat it is gone."],
    ["a comma", "Es stimmt nicht,\nich bin nicht allergisch."],
  ])("S4-05 doesn't end at %s", (_name, text) => {
    expect(sentencesOf(text)).toEqual([text]);
  });

  it.each([
    ["two sentences", "I live here. I work there.", 2],
    ["an answer", "No. I am allergic to nuts.", 2],
    ["lines of a chat", "I live in Perth\nI am allergic to nuts\nThanks", 3],
    ["lines of a chat that begin small", "i live in perth\ni am allergic to nuts", 2],
    ["a paragraph", "It isn't so that\n\nI live here", 2],
    ["a list", "I have no\n- cat\n- dog", 3],
    ["who speaks", "I don't know\nassistant: you live here", 2],
  ])("S4-05 ends where %s do", (_name, text, count) => {
    const sentences = sentencesOf(text).filter((one) => one.trim() !== "");
    expect(sentences).toHaveLength(count);
    expect(sentencesOf(text).join("")).toBe(text);
  });

  it("S4-05 grows by no more lines than a statement holds", () => {
    const lines = Array.from(
      { length: 40 },
      () => "I do not have an allergy against it, not that",
    ).join("\n");
    expect(Math.max(...sentencesOf(lines).map(({ length }) => length))).toBeLessThan(600);
  });
});
