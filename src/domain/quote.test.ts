import { describe, expect, it } from "vitest";
import { findQuote, foldQuote, quotesIn } from "./quote.js";

/** Characters at which what takes time squared takes minutes. */
const LONG = 60_000;

describe("a quote", () => {
  it.each([
    ["plain", "word ".repeat(LONG / 5)],
    ["with a character that has another form", `…${"word ".repeat(LONG / 5)}`],
    ["without a space, of such characters", "ﬁ".repeat(LONG)],
    ["of marks upon marks", "e\u0301\u0302".repeat(LONG / 3)],
  ])("S4-04 that isn't there is looked for in one pass over a long text: %s", (_name, text) => {
    const find = quotesIn(text);
    for (let index = 0; index < 64; index += 1) expect(find(`never said ${index}`)).toBeNull();
  });

  it("S4-05 is found across pieces of a long run, in its own units", () => {
    const text = `${"x".repeat(255)}e\u0301 …and ﬁne ${"y".repeat(600)}`;
    const place = findQuote(text, "...and fine");
    expect(text.slice(place?.start, place?.end)).toBe("…and ﬁne");
    expect(foldQuote(`${"x".repeat(255)}e\u0301`)).toBe(`${"x".repeat(255)}\u00e9`);
    expect(foldQuote(`${"x".repeat(255)}👩‍🚀`)).toBe(`${"x".repeat(255)}👩‍🚀`);
  });

  it("S4-04 that stands thousands of times in longer words is tried at some of these places alone", () => {
    expect(findQuote(`${"a".repeat(500)} a`, "a")).toEqual({ start: 501, end: 502 });
    expect(findQuote(`${"a".repeat(LONG)} a`, "a")).toBeNull();
    expect(findQuote(`…${"a".repeat(LONG)} a`, "a ")).toBeNull();
  });
});
