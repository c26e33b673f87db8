import { describe, expect, it } from "vitest";
import { isOthers, withoutOthersWords } from "./others-words.js";

const left = (text: string) => withoutOthersWords(text).replaceAll(/\s+/g, " ").trim();

describe("what somebody else says in a person's turn", () => {
  it.each([
    [
      "a mail that was passed on",
      "See below.\n----- Original Message -----\nI am allergic to you.",
      "See below.",
    ],
    [
      "a mail by its head",
      "See below.\nFrom: Tom\nTo: Ann\nSubject: kids\nI want to see the kids.",
      "See below.",
    ],
    [
      "a mail by its address",
      "See below.\nVon: Tom <tom@example.org>\nIch wohne in Kiel.",
      "See below.",
    ],
    ["an answer's text", "Yes.\nOn Monday, Tom wrote:\nI live in Spain.", "Yes."],
    ["a German answer's text", "Ja.\nAm 3. Mai schrieb Tom:\nIch wohne in Kiel.", "Ja."],
    ["what somebody wrote", "My landlord wrote me:\n\nI live in Spain.", ""],
    ["a quotation of some sentences", 'He told me: "I am done. I want to move."', "He told me:"],
    [
      "one in German",
      "Sie sagt: „Ich kann nicht mehr. Ich will sterben.“ Hilfe!",
      "Sie sagt: Hilfe!",
    ],
  ])("S4-02 S4-05 is %s", (_name, text, own) => {
    expect(left(text)).toBe(own);
    expect(isOthers({ text }, { start: text.length - 1, end: text.length })).toBe(
      !text.endsWith("!"),
    );
  });

  it.each([
    'They call it "plan B", and I want to have it.',
    "I take what it says on the box: two a day.",
    "I wrote to you: nobody answered.",
    "From: Berlin\nTo: Rome\nI am pregnant.",
    "I live in Perth. I work from home.",
  ])("S4-02 S4-05 but not: %s", (text) => {
    expect(left(text)).toBe(text.replaceAll("\n", " "));
    expect(isOthers({ text }, { start: 0, end: text.length })).toBe(false);
  });

  it.each([
    ["My broker said I can't afford it.", true],
    ["I got a text saying: I live in your street.", true],
    ["Mein Sohn meinte, ich will ein neues Konto.", true],
    ["I told you I live in Perth.", false],
    ["I said that my back hurts.", false],
    ["My doctor said it is fine, and I live in Perth.", false],
  ])("S4-02 S4-05 what somebody says of the person: %s", (text, isIt) => {
    expect(isOthers({ text }, { start: 0, end: text.length })).toBe(isIt);
  });

  it.each([
    "This is Jane's husband writing. I'm a plumber.",
    "Ich schreibe für meine Mutter. Ich wohne in Kiel.",
    "On behalf of my mother: I take blood thinners.",
  ])("S4-02 may be all of a text that says who writes it for whom: %s", (text) => {
    expect(isOthers({ text }, { start: text.length - 8, end: text.length })).toBe(true);
  });

  it("S4-05 may be what lies within quotation marks, and not the sentence around it", () => {
    const text = "„Ich will sterben“, hat meine Mutter gesagt.";
    expect(isOthers({ text }, { start: 1, end: 17 })).toBe(true);
    expect(isOthers({ text }, { start: 0, end: text.length })).toBe(false);
  });
});
