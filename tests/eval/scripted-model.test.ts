import { describe, expect, it } from "vitest";
import { withScriptedModel } from "../../eval/scripted-model.js";
import { openCues } from "../../src/compose/cues.js";
import { deriversOf } from "../../src/compose/derivers.js";
import { trustedId } from "../../src/domain/ids.js";
import type { ObserveSource } from "../../src/domain/observation.js";
import { parseObservations } from "../../src/domain/observation-rules.js";
import { PLATFORM_DIMENSIONS } from "../../src/domain/platform-dimensions.js";

const WISHES = ["swim", "paint", "bake", "go", "ski", "sail", "read", "garden", "dance"];
const SOURCE: ObserveSource = {
  dimensions: PLATFORM_DIMENSIONS,
  cues: openCues({}),
  turns: WISHES.map((wish) => ({
    id: trustedId<"TurnId">(wish),
    role: "user",
    speaker: "subject",
    text: `I want to ${wish} every summer day.`,
    observedAt: new Date("2026-03-01T09:00:00Z"),
  })),
  known: [],
  model: null,
};

describe("the scripted model of the evaluation", () => {
  it("S4-05 errs in each way over a model's own path, and each wrong statement is left out", async () => {
    const { result, told } = await withScriptedModel((place) =>
      deriversOf(place).observer.ask(SOURCE, () => undefined),
    );
    const { observed, dropped } = parseObservations(result, SOURCE);

    expect(told).toEqual({ right: 4, invented: 1, misplaced: 3, repeated: 1 });
    expect(dropped).toHaveLength(told.invented + told.misplaced);
    expect(observed.map(({ saidIn }) => String(saidIn))).toEqual([
      ...["swim", "paint", "ski", "garden", "dance"],
    ]);
  });
});
