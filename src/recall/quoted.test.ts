import { describe, expect, it } from "vitest";
import { quotedIn } from "./quoted.js";

describe("quoted", () => {
  it.each([
    ['"late fee"', "They charged a Late  Fee again", true],
    ['"late fee"', "The late annual fee", false],
    ['"late fee"', "A late-fee waiver", true],
    ['"art"', "We went to a party", false],
    ['"art fair" "blue"', "Blue paint at the art fair", true],
    ['"art fair" "blue"', "Red paint at the art fair", false],
    ["\u201ecaf\u00e9 am See\u201c", "Im Cafe am See", true],
    ["\u00absous la pluie\u00bb", "Marcher sous la pluie", true],
    ['"\u559c\u6b22\u8336"', "\u6211\u559c\u6b22\u8336\u548c\u5496\u5561", true],
    ['"12.5 mg"', "Take 12.5 mg", true],
    ['"12.5 mg"', "Take 125 mg", false],
  ])("S4-11 %s in %j is %s", (question, text, expected) => {
    expect(quotedIn(question)?.(text)).toBe(expected);
  });

  it.each(["late fee", '"', '""', '" "', '5" pipe'])("S4-11 %j quotes nothing", (question) => {
    expect(quotedIn(question)).toBeNull();
  });
});
