import { describe, expect, it } from "vitest";
import { LIMITS } from "./limits.js";
import { createPhrases, indexPhrases } from "./phrases.js";

describe("phrases", () => {
  it.each([
    ["I sleep badly.", ["sleep"]],
    ["I SLEEP badly.", ["sleep"]],
    ["I'm sleepy, and oversleep.", []],
    ["I don't like it", ["don't like"]],
    ["I don\u2019t \n like it", ["don't like"]],
    ["I don't likes it", []],
    ["Eine Penicillinallergie!", ["*allerg*"]],
    ["no allergy", ["*allerg*"]],
    ["reallergically", ["*allerg*"]],
    ["pregnant", ["pregnan*"]],
    ["unpregnant", []],
    ["Müde bin ich.", ["müde"]],
    ["mu\u0308de", ["müde"]],
    ["ﬁne, ｓｌｅｅｐ", ["fine", "sleep"]],
    ["über-müde", ["müde"]],
    ["übermüde", []],
    ["sleep7", []],
    ["朝の電話の方が好きです。", ["の方が好き"]],
    ["ΠΌΝΟΣ", ["πόνοσ"]],
    ["a c++ and c+ course", ["c++"]],
    ["𝒳sleep", []],
    ["sleep👍", ["sleep"]],
    ["", []],
  ])(
    "S4-05 stand in a text as whole words, whatever the case and the spelling: %j",
    (text, found) => {
      const phrases = createPhrases([
        "sleep",
        "don't like",
        "*allerg*",
        "pregnan*",
        "müde",
        "fine",
        "の方が好き",
        "πόνος",
        "c++",
      ]);
      expect([...phrases.foundIn(text)]).toEqual(found);
      expect(phrases.standIn(text)).toBe(found.length > 0);
    },
  );

  it("S4-04 are made ready a phrase a step, however many a tenant has", () => {
    const { dimensionsMax, dimensionCuesMax } = LIMITS;
    const many = Array.from(
      { length: dimensionsMax * dimensionCuesMax },
      (_, index) => `a ${index}`,
    );
    const steps = indexPhrases(many);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    expect(count).toBe(many.length);
    expect([...step.value.foundIn("Not a 1 or a 8191, but a 8192.")]).toEqual(["a 1", "a 8191"]);
  });
});
