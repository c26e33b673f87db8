import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { createTokenCounter } from "./tokens.js";

const exact = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;

describe("token counts", () => {
  it.each([
    ["no text", ""],
    ["English", "hello world"],
    ["Chinese", "\u4f60\u597d\uff0c\u4e16\u754c"],
    ["marks of chat templates", "<|im_start|>system<|endoftext|>"],
    ["a long text", "a b ".repeat(2_000)],
    ["half a surrogate pair", "half \ud83d"],
  ])("S2-05 counts %s as the tokenizer does, the second time too", (_name, text) => {
    const countTokens = createTokenCounter();
    expect([countTokens(text), countTokens(text)]).toEqual([exact(text), exact(text)]);
  });

  it("S2-05 property: two counts of one text agree, whatever was counted between", () => {
    const countTokens = createTokenCounter(4);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => {
        expect(countTokens(text)).toBe(exact(text));
      }),
    );
  });

  it("S2-05 property: a text of blocks is counted as the tokenizer counts the whole", () => {
    const part = fc.constantFrom(
      ">\n<a",
      ">\n<memory-1 ",
      ">\n",
      "<",
      "/",
      "\n",
      "\r",
      " ",
      "é",
      "1",
      "said",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(createTokenCounter()(parts.join(""))).toBe(exact(parts.join("")));
      }),
    );
  });

  it.each([
    ["letters", "abcdefghij"],
    ["one letter", "a"],
    ["Han", "\u6f22\u5b57\u8f49\u63db"],
    ["emoji", "\u{1f600}\u{1f680}"],
    ["marks", "=-_~"],
    ["spaces", " "],
  ])(
    "S2-05 INJ-37 an unbroken run of 100,000 of %s is counted, at least as dear as the tokenizer says of its parts",
    (_name, unit) => {
      const text = unit.repeat(100_000 / unit.length);
      const part = exact(text.slice(0, 256));
      expect(createTokenCounter()(text)).toBeGreaterThanOrEqual(part);
      expect(createTokenCounter()(text)).toBeLessThanOrEqual(text.length * 3);
    },
  );
});
