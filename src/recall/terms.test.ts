import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseTurn } from "./analyse.js";
import type { Terms } from "./terms.js";
import { ANALYSER_VERSION, decodeDerivedTerms, decodeTerms, encodeTerms } from "./terms.js";

const sorted = ({ list, counts, length, said }: Terms): unknown => ({
  length,
  said,
  terms: list.map((term, at) => [term, counts[at]]).sort(),
});

describe("terms", () => {
  it("S4-11 come back from their sealed form as they were, whatever the text", () => {
    const anyText = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(anyText, fc.string({ unit: "grapheme" }), (text, speaker) => {
        const terms = analyseTurn({ text, speaker, observedAt: new Date(0) });
        const decoded = decodeTerms(encodeTerms(terms));
        expect(decoded).not.toBeNull();
        if (decoded !== null) expect(sorted(decoded)).toEqual(sorted(terms));
      }),
    );
  });

  it("S4-11 are well-formed text without spaces, and no term stands twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const { list } = analyseTurn({ text, speaker: text, observedAt: new Date(0) });
        expect(new Set(list).size).toBe(list.length);
        for (const term of list) {
          expect(term).toMatch(/^\S+$/u);
          expect(term.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it("S4-11 of another analyser version aren't compared: they are made again", () => {
    const encoded = encodeTerms(
      analyseTurn({ text: "a fee of 12.50", speaker: null, observedAt: new Date(0) }),
    );
    const older = encoded.replace(`"v":${ANALYSER_VERSION}`, `"v":${ANALYSER_VERSION - 1}`);
    expect(older).not.toBe(encoded);
    expect(decodeTerms(older)).toBeNull();
  });

  it("S4-11 of an episode or an observation are as good from the version before, which found the same", () => {
    const terms = analyseTurn({ text: "a fee", speaker: null, observedAt: new Date(0) });
    const { v, s, ...rest } = JSON.parse(encodeTerms(terms));
    expect([v, s]).toEqual([3, terms.said]);
    const older = decodeDerivedTerms(JSON.stringify({ v: 2, ...rest }));
    expect(older && sorted(older)).toEqual(sorted({ ...terms, said: 0 }));
    expect(decodeDerivedTerms(JSON.stringify({ v: 1, ...rest }))).toBeNull();
  });
});
