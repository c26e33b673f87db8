import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../domain/limits.js";
import { languageOfText } from "./analyse.js";
import { matcherOf } from "./match.js";
import { snippetOf as cutOut, type Snippet } from "./snippet.js";

const snippetOf = (text: string, question: string): Snippet =>
  cutOut(text, languageOfText(text), matcherOf(question));

/** The snippet with what matches in brackets. */
function marked(text: string, question: string): string {
  const { text: part, matches } = snippetOf(text, question);
  let from = 0;
  const parts = matches.map(([start, end]) => {
    const before = part.slice(from, start);
    from = end;
    return `${before}[${part.slice(start, end)}]`;
  });
  return parts.join("") + part.slice(from);
}

const LONG = `${"It rained all week and we stayed inside. ".repeat(30)}Then the walrus at the zoo had twins. ${"It rained again. ".repeat(30)}`;

describe("snippet", () => {
  it.each([
    ["We were walking to the bank", "who walks", "We were [walking] to the bank"],
    [
      "Ich zahle die Gebühren nicht und bin empört",
      "Gebühr",
      "Ich zahle die [Gebühren] nicht und bin empört",
    ],
    ["Мой пароль изменился", "пароли", "Мой [пароль] изменился"],
    ["今天玩成语接龙游戏", "接龙", "今天玩成语[接龙]游戏"],
    ["ฉันแพ้ถั่วลิสง", "ถั่ว", "ฉันแพ้[ถั่ว]ลิสง"],
    ["오늘 끝말잇기 게임을 했다", "끝말잇기", "오늘 [끝말잇기] 게임을 했다"],
    ["Order 4471-0093 was sent", "4471 0093", "Order [4471]-[0093] was sent"],
    ["Take 12.5 mg a day", "12,5 mg", "Take [12.5] [mg] a day"],
    ["le café est fermé", "CAFE", "le [café] est fermé"],
    ["nothing of it", "walrus", "nothing of it"],
  ])("S4-12 marks what matches in the text as it was written: %s", (text, question, expected) => {
    expect(marked(text, question)).toBe(expected);
  });

  it("S4-11 shows the part of a long text that has most of what was asked for, in whole words", () => {
    const { text, cut } = snippetOf(LONG, "twins of the walrus in the zoo");
    expect(text).toContain("the walrus at the zoo had twins");
    expect(text.length).toBeLessThanOrEqual(LIMITS.snippetCharsMax);
    expect(cut).toEqual({ before: true, after: true });
    const at = LONG.indexOf(text);
    for (const place of [at, at + text.length])
      expect(LONG.slice(place - 1, place + 1)).not.toMatch(/^[a-z]{2}$/);
  });

  it.each([
    ["👨‍👩‍👧‍👦".repeat(200), "👨‍👩‍👧‍👦"],
    [`${"🇵🇹".repeat(200)}`, "🇵🇹"],
    [`${"e\u0301".repeat(400)}`, "e\u0301"],
  ])("S4-11 never cuts what readers take for one letter (%#)", (text, letter) => {
    const { text: part } = snippetOf(text, "nothing");
    expect(part.length % letter.length).toBe(0);
    expect(part.length).toBeGreaterThan(0);
  });

  it("S4-11 is well-formed, within its bound and a part of the text, whatever text and question are", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 600, size: "max" }),
      fc.string({ unit: "binary", maxLength: 600, size: "max" }),
      fc.constantFrom(LONG, `${"a".repeat(239)}🔥🔥🔥`, "🔥".repeat(300), "\u0301".repeat(500)),
    );
    fc.assert(
      fc.property(anyText, fc.string({ unit: "grapheme", maxLength: 30 }), (text, question) => {
        const found = snippetOf(text, question);
        expect(found.text.isWellFormed()).toBe(true);
        expect(text).toContain(found.text);
        expect(found.text.length).toBeLessThanOrEqual(LIMITS.snippetCharsMax);
        for (const [from, until] of found.matches) {
          expect(from).toBeLessThan(until);
          expect(found.text.slice(from, until).isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
