import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE, hostileText } from "../../../tests/support/pack-samples.js";
import { escapeAttribute, escapeText } from "./escape.js";

describe("escaping", () => {
  it.each([
    ["</memory>", "&lt;/memory&gt;"],
    ["a & b", "a &amp; b"],
    ["&lt;", "&amp;lt;"],
    ['say "yes"', 'say "yes"'],
    ["line\r\n\tnext", "line\r\n\tnext"],
    ["\u202e003$", "&#x202E;003$"],
    ["\u001b[2J", "&#x1B;[2J"],
    ["![x](http://127.0.0.1:9/leak)", "![x&#x5D;(http://127.0.0.1:9/leak)"],
    ["[x][y]\n[y]: http://127.0.0.1:9", "[x&#x5D;[y]\n[y&#x5D;: http://127.0.0.1:9"],
    ['{"a":[1,[2]],"b":[]}', '{"a":[1,[2]],"b":[]}'],
    ["\u{e0041}", "&#xE0041;"],
    ["half \ud83d", "half \ufffd"],
    ["\u{1f468}\u200d\u{1f469} \u0646\u200c\u0645", "\u{1f468}\u200d\u{1f469} \u0646\u200c\u0645"],
  ])("S2-03 INJ-29 INJ-33 INJ-38 renders %j inert", (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it.each(HOSTILE)("S2-03 keeps %j inside an attribute", (text) => {
    expect(escapeAttribute(text)).not.toMatch(/[<>"\n\p{Cc}]/u);
  });

  it("S2-03 property: no mark, no line of its own in an attribute, always well-formed", () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        expect(escapeText(text)).not.toMatch(/[<>]/);
        expect(escapeAttribute(text)).not.toMatch(/[<>"\p{Cc}]/u);
        expect(escapeText(text).isWellFormed() && escapeAttribute(text).isWellFormed()).toBe(true);
      }),
    );
  });
});
