import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DigestSource } from "./digest.js";
import { extractDigest } from "./digest-extract.js";
import { parseDigest, refusedInEpisode } from "./digest-rules.js";
import { trustedId } from "./ids.js";

const turn = (id: string, role: "user" | "assistant" | "tool_result", text: string) => ({
  id: trustedId<"TurnId">(id),
  role,
  text,
});

const SOURCE: DigestSource = {
  turns: [
    turn("u1", "user", "I paid the late fee of 35 dollars twice. Is one refunded?"),
    turn("a1", "assistant", "One late fee of 35 dollars is refunded on 2 March."),
    turn("x1", "tool_result", "refund approved by the ledger"),
  ],
  items: [
    { id: "r/artifact/1", class: "artifact", text: "case://disputes/771" },
    { id: "r/failure/1", class: "failure", text: "criterion tone-2: no date" },
    { id: "r/slot/decide", class: "slot", text: '{"refund":35}' },
  ],
};

const NONE = { open_questions: [], decisions: [], artifacts: [], evaluator_failures: [] };

describe("what no episode says", () => {
  it.each([
    ["the customer was very angry", "tells a mood"],
    ["she seems frustrated with the bank", "tells a mood"],
    ["we promised to waive the fee", "tells a promise"],
    ["a refund is guaranteed", "tells a promise"],
    ["policy states that fees must be refunded", "is policy text"],
    ["agents must refund within a day", "is policy text"],
    ["KYC check passed for the customer", "is a verdict of an identity check"],
    ["password: hunter2secret9", "holds a token or a credential"],
  ])("S2-08 S1-40 %s", (text, why) => {
    expect(refusedInEpisode(text)).toBe(why);
  });

  it.each(["the late fee was applied twice", "which card is blocked?", "case://disputes/771"])(
    "S2-08 an ordinary statement stands: %s",
    (text) => {
      expect(refusedInEpisode(text)).toBeNull();
    },
  );
});

describe("a digest", () => {
  it.each([
    ["refers to nothing", { open_questions: [{ text: "is one refunded?" }] }],
    ["names an unknown turn", { decisions: [{ text: "one is refunded", turn_ids: ["u9"] }] }],
    ["has a number of its own", { decisions: [{ text: "36 dollars are paid", turn_ids: ["u1"] }] }],
    ["says what isn't said", { decisions: [{ text: "cancel every account", turn_ids: ["u1"] }] }],
    ["decides by a tool's text", { decisions: [{ text: "refund approved", turn_ids: ["x1"] }] }],
    ["decides by a person's word", { decisions: [{ text: "one is refunded", turn_ids: ["u1"] }] }],
    ["decides by a model's text", { decisions: [{ text: "one is refunded", turn_ids: ["a1"] }] }],
    [
      "rewords a failure",
      { evaluator_failures: [{ text: "no date", working: ["r/slot/decide"] }] },
    ],
    ["rewords an artifact", { artifacts: [{ text: "case 771", working: ["r/artifact/1"] }] }],
    ["has a key of its own", { mood: [] }],
    ["names a scope", { tenant: "bank-nz" }],
  ])("S2-24 is refused where it %s", (_why, part) => {
    expect(() => parseDigest({ ...NONE, ...part }, SOURCE)).toThrow();
  });

  it("S2-24 is refused where a list is missing: nothing is filled in", () => {
    expect(() => parseDigest({ decisions: [] }, SOURCE)).toThrow(/open_questions/);
  });

  it("S2-24 stands where its session says it", () => {
    const digest = {
      ...NONE,
      open_questions: [{ text: "is one refunded?", turn_ids: ["u1"], working: [] }],
      decisions: [{ text: "refund 35", turn_ids: [], working: ["r/slot/decide"] }],
    };
    expect(parseDigest(digest, SOURCE)).toEqual(digest);
  });

  it("S2-24 property: what the extractor quotes passes its own checks, whatever was said", () => {
    const words = fc.constantFrom(
      "refund",
      "35",
      "angry",
      "Why?",
      "is",
      "the",
      "fee",
      "§",
      "\u202e",
      "何?",
    );
    const text = fc.array(words, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
    const turns = fc
      .array(fc.tuple(fc.constantFrom("user", "assistant", "tool_result" as const), text))
      .map((all) => all.map(([role, said], index) => turn(`t${index}`, role as "user", said)));
    const items = fc
      .array(fc.tuple(fc.constantFrom("artifact", "failure", "question", "slot" as const), text))
      .map((all) =>
        all.map(([kind, said], index) => ({ id: `i${index}`, class: kind as "slot", text: said })),
      );
    fc.assert(
      fc.property(turns, items, (said, kept) => {
        const source = { turns: said, items: kept };
        const digest = extractDigest(source);
        expect(parseDigest(digest, source)).toEqual(digest);
      }),
      { numRuns: 300 },
    );
  });

  it("S2-24 the last questions of a text of any size are quoted whole, and nothing else of it", () => {
    const asked = "Is the fee of 3.5 percent refunded?";
    const of = (text: string) =>
      extractDigest({ turns: [turn("u1", "user", text)], items: [] }).open_questions.map(
        ({ text: question }) => question,
      );
    expect(of(`${"\n".repeat(60_000)}I paid. ${asked} Thanks!`)).toEqual([asked]);
    expect(of(`${"?[ ".repeat(20_000)}. ${asked}`).at(-1)).toBe(asked);
    expect(of("什么时候退款？谢谢。")).toEqual(["什么时候退款？"]);
    expect(of(`${"x".repeat(500)}?`)).toEqual([]);
  });
});
