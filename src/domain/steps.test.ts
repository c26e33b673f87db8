import { describe, expect, it } from "vitest";
import { openCues } from "../compose/cues.js";
import { trustedId } from "./ids.js";
import type { ObserveSource } from "./observation.js";
import { checkObservations } from "./observation-rules.js";
import { findObservations } from "./observe-extract.js";
import { PLATFORM_DIMENSIONS } from "./platform-dimensions.js";
import { givingWay, inOneGo, type Steps } from "./steps.js";
import { checkSections } from "./user-model-rules.js";

const CUES = openCues({});
const MANY = 40;

function* counting(): Steps<string> {
  for (let step = 0; step < 10; step += 1) yield;
  return "counted";
}

describe("work in steps", () => {
  it("S4-04 others have their turn while long work goes on, and what it comes to is the same", async () => {
    let ms = 0;
    let others = 0;
    let isOver = false;
    const other = (): void => {
      others += 1;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    // Each look at the clock is four milliseconds later.
    const slowly = () => {
      ms += 4;
      return ms;
    };
    expect(await givingWay(counting(), slowly)).toBe("counted");
    isOver = true;
    expect(others).toBeGreaterThan(1);
    expect(inOneGo(counting())).toBe("counted");
  });

  it("S4-04 short work keeps nobody waiting for others", async () => {
    let isOvertaken = false;
    setImmediate(() => {
      isOvertaken = true;
    });
    await givingWay(counting(), () => 0);
    expect(isOvertaken).toBe(false);
  });

  const sentences = Array.from({ length: MANY }, (_, index) => `I want to walk ${index} km.`);
  const source: ObserveSource = {
    dimensions: PLATFORM_DIMENSIONS,
    cues: CUES,
    turns: [
      {
        id: trustedId<"TurnId">("t1"),
        role: "user",
        speaker: "subject",
        text: sentences.join(" "),
        observedAt: new Date(0),
      },
    ],
    known: [],
    model: null,
  };
  const statements = sentences.map((text) => ({ text, observation_ids: ["o1"] }));
  const sections = { sections: [{ dimension: "goals", statements }] };

  it.each([
    ["sentences of a turn are looked into", () => findObservations(source)],
    [
      "observations are checked",
      () => checkObservations(inOneGo(findObservations(source)), source),
    ],
    [
      "statements of a model are checked",
      () =>
        checkSections(
          sections,
          { sections: [], fresh: [], earlier: [], leftOut: 0 },
          trustedId<"RouteId">("chat"),
          CUES,
        ),
    ],
  ])("S4-04 %s one by one", (_name, work) => {
    let steps = 0;
    const going = work();
    while (going.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThanOrEqual(MANY);
  });
});
