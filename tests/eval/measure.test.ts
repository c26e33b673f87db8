import { describe, expect, it } from "vitest";
import { measure } from "../../eval/measure.js";

describe("measure", () => {
  it("takes the mean share of evidence turns among the first 5, 10 and 25, and the place of the first", () => {
    const found = Array.from({ length: 30 }, (_, n) => `t${n + 1}`);
    const report = measure([
      { category: 1, evidence: ["t1", "t7", "t20", "t26"], found },
      { category: 4, evidence: ["t2"], found },
      { category: 4, evidence: ["absent"], found },
    ]);
    expect(report).toEqual({
      questions: 3,
      all: { r5: 0.4167, r10: 0.5, r25: 0.5833, mrr: 0.5 },
      categories: {
        "1": { questions: 1, r5: 0.25, r10: 0.5, r25: 0.75, mrr: 1 },
        "4": { questions: 2, r5: 0.5, r10: 0.5, r25: 0.5, mrr: 0.25 },
      },
    });
  });

  it("counts a turn that came back twice once", () => {
    const { all } = measure([{ category: 1, evidence: ["a", "b"], found: ["a", "a"] }]);
    expect(all.r5).toBe(0.5);
  });

  it("is 0 and not NaN without questions", () => {
    expect(measure([]).all).toEqual({ r5: 0, r10: 0, r25: 0, mrr: 0 });
  });
});
