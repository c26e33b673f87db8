import { describe, expect, it } from "vitest";
import { measure } from "../../eval/measure.js";
import { report } from "../../eval/report.js";
import { ABLATIONS, type Explained, holdOut, reweigh, SHIPPED } from "../../eval/reweigh.js";

const own = { words: 2, previous: 0, next: 0, session: 0, speaker: 1, asking: 1 };
/** Its own words are worth 2; it stands beside 3, in a session of 1, is said by whom the question names, and asks. */
const HITS = [
  { id: "all", why: { words: 0, previous: 2, next: 1, session: 1, speaker: 1.6, asking: 0.9 } },
  { id: "words", why: own },
];

function answer(sample: string, evidence: string, hits = HITS): Explained {
  return { sample, category: 1, evidence: [evidence], hits };
}

describe("eval under other weights", () => {
  it.each([
    ["as shipped", SHIPPED, "all"],
    ["without neighbours", ABLATIONS["no neighbours"], "words"],
    ["without the session", ABLATIONS["no session"], "all"],
    ["by words alone", ABLATIONS["words alone"], "words"],
  ])("orders hits by the parts of their score: %s", (_, weights, first) => {
    expect(reweigh([answer("a", "all")], weights ?? SHIPPED)[0]?.found[0]).toBe(first);
  });

  it("chooses weights without the conversation that they are measured on", () => {
    const hits = [
      { id: "beside", why: { ...own, words: 0, previous: 1.5 } },
      { id: "words", why: own },
    ];
    // The others want a neighbour to count more, the held one less: what it would choose itself isn't used.
    const others = ["b", "c"].map((sample) => answer(sample, "beside", hits));
    const { folds, crossValidated } = report([answer("a", "words", hits), ...others]);
    expect(folds.a?.mrr).toBeLessThan(1);
    expect(crossValidated.mrr).toBeLessThan(1);
    expect(measure(holdOut(others)).mrr).toBe(1);
  });

  it("reports adversarial questions apart", () => {
    const { questions, all, adversarial } = report([
      answer("a", "all"),
      { ...answer("a", "absent"), category: 5 },
    ]);
    expect({ questions, all: all.mrr, adversarial: adversarial.mrr }).toEqual({
      questions: 1,
      all: 1,
      adversarial: 0,
    });
  });
});
