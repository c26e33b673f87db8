import { describe, expect, it } from "vitest";
import { measure, measureBy } from "../../eval/measure.js";

const found = Array.from({ length: 30 }, (_, n) => `t${n + 1}`);
const ANSWERS = [
  { sample: "a", category: 1, evidence: ["t1", "t7", "t20", "t26"], found },
  { sample: "b", category: 4, evidence: ["t2"], found },
  { sample: "b", category: 4, evidence: ["absent"], found },
];

describe("measure", () => {
  it("takes the mean share of evidence turns among the first 5, 10 and 25, and the place of the first", () => {
    expect(measure(ANSWERS)).toEqual({ questions: 3, r5: 0.4167, r10: 0.5, r25: 0.5833, mrr: 0.5 });
    expect(measureBy(ANSWERS, ({ category }) => String(category))).toEqual({
      "1": { questions: 1, r5: 0.25, r10: 0.5, r25: 0.75, mrr: 1 },
      "4": { questions: 2, r5: 0.5, r10: 0.5, r25: 0.5, mrr: 0.25 },
    });
  });

  it("counts a turn that came back twice once, and one further down than is measured not at all", () => {
    const twice = { sample: "a", category: 1, evidence: ["a", "b"], found: ["a", "a"] };
    expect(measure([twice]).r5).toBe(0.5);
    expect(measure([{ ...twice, evidence: ["t26"], found }]).mrr).toBe(0);
  });

  it("is 0 and not NaN without questions", () => {
    expect(measure([])).toEqual({ questions: 0, r5: 0, r10: 0, r25: 0, mrr: 0 });
  });
});
