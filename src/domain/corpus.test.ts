import { describe, expect, it } from "vitest";
import { type CorpusRules, type Passage, settlePassages } from "./corpus.js";

const NOW = new Date("2026-03-01T00:00:00Z");
const passage = (document: string, change: Partial<Passage> = {}): Passage => ({
  corpus: "fees",
  document,
  title: document,
  citation: `fees/${document}#1`,
  text: `about ${document}`,
  as_of: new Date("2026-01-01T00:00:00Z"),
  topic: null,
  readers: ["app"],
  score: 1,
  ...change,
});
const rules = (change: Partial<CorpusRules> = {}) =>
  new Map<string, CorpusRules>([
    [
      "fees",
      {
        corpus: "fees",
        fresh_days: null,
        citations: "required",
        refuse_on_empty: true,
        contradictions: "newest",
        ...change,
      },
    ],
  ]);
const old = passage("2024.md", { topic: "atm", as_of: new Date("2024-01-01T00:00:00Z") });
const current = passage("2026.md", { topic: "atm" });

describe("passages", () => {
  it("S2-38 of documents on one topic the newest stands alone where the corpus says so", () => {
    expect(settlePassages([old, current], rules(), NOW).map((it) => it.document)).toEqual([
      "2026.md",
    ]);
  });

  it.each(["show", "escalate"] as const)(
    "S2-38 under %s each names the other",
    (contradictions) => {
      const shown = settlePassages([old, current], rules({ contradictions }), NOW);
      expect(shown.map((it) => [it.document, it.contradicts])).toEqual([
        ["2024.md", ["fees/2026.md#1"]],
        ["2026.md", ["fees/2024.md#1"]],
      ]);
    },
  );

  it("S2-38 two passages of one document and documents on other topics contradict nothing", () => {
    const shown = settlePassages(
      [current, { ...current, citation: "fees/2026.md#2" }, passage("x.md", { topic: "card" })],
      rules({ contradictions: "show" }),
      NOW,
    );
    expect(shown.flatMap((it) => it.contradicts)).toEqual([]);
  });

  it.each([
    [null, false],
    [59, false],
    [58, true],
  ])("S2-38 a document of 59 days under fresh_days %s is stale: %s", (fresh_days, stale) => {
    expect(settlePassages([current], rules({ fresh_days }), NOW)[0]?.stale).toBe(stale);
  });

  it("S2-38 a corpus without rules shows nothing", () => {
    expect(settlePassages([passage("x.md", { corpus: "other" })], rules(), NOW)).toEqual([]);
  });
});
