import { describe, expect, it } from "vitest";
import { openCues } from "../compose/cues.js";
import { trustedId } from "./ids.js";
import { parseObservations } from "./observation-rules.js";
import { findObservations } from "./observe-extract.js";
import { PLATFORM_DIMENSIONS } from "./platform-dimensions.js";
import { isAboutSame } from "./replacement.js";
import { inOneGo } from "./steps.js";

const CUES = openCues({});

const source = (text: string, day: number) => ({
  dimensions: PLATFORM_DIMENSIONS,
  cues: CUES,
  turns: [
    {
      id: trustedId<"TurnId">(`t${day}`),
      role: "user" as const,
      speaker: "subject" as const,
      text,
      observedAt: new Date(Date.UTC(2026, 2, day)),
    },
  ],
  known: [],
  model: null,
});

/** What the built-in observer takes the later of two sentences to correct, of two days. */
function isCorrected(before: string, later: string): boolean {
  const first = source(before, 1);
  const kept = parseObservations(inOneGo(findObservations(first)), first).observed;
  expect(kept).toHaveLength(1);
  const known = kept.map((one) => ({
    ...one,
    id: trustedId<"ObservationId">("k1"),
    observedAt: new Date(Date.UTC(2026, 2, 1)),
    supersededBy: null,
  }));
  const second = { ...source(later, 2), known };
  const { observed } = parseObservations(inOneGo(findObservations(second)), second);
  return observed.some(({ supersedes }) => supersedes !== null);
}

describe("what was said before", () => {
  it.each([
    ["I prefer calls in the morning.", "From now on I prefer calls in the evening instead."],
    [
      "I prefer calls in the morning.",
      "I no longer prefer calls in the morning, please call me at noon.",
    ],
    ["I want to visit my sister.", "I want to visit the lake instead of my sister."],
  ])("S4-13 S5-07 is replaced where a later sentence says so: %s %s", (before, later) => {
    expect(isCorrected(before, later)).toBe(true);
  });

  it.each([
    ["My mother lives in Berlin.", "I live in Berlin now."],
    ["My son works at Siemens.", "From now on my daughter works at Siemens."],
    ["I take ramipril every morning.", "I take metformin every morning now."],
    ["I take ramipril every morning.", "From now on I also take metformin every morning."],
    ["I want to save for a house.", "I want to buy a house now."],
    [
      "I want to learn Spanish before summer.",
      "I want to learn swimming before summer instead of dancing.",
    ],
    ["I have a house in Rome and a flat in Paris.", "I have a dog in Paris now."],
    ["I can't climb stairs.", "I can't find the stairs now."],
    ["Ich nehme morgens Ramipril.", "Ich nehme morgens jetzt auch Metformin."],
    ["Meine Tochter wohnt in Kiel.", "Ich wohne jetzt in Kiel."],
    ["Ich möchte ein Haus kaufen.", "Ich möchte jetzt ein Auto kaufen."],
  ])("S4-13 S5-07 stands beside what is merely new: %s %s", (before, later) => {
    expect(isCorrected(before, later)).toBe(false);
  });

  it.each([
    ["I live in Kiel now.", "I live in Bonn.", true],
    ["My mother lives in Kiel now.", "My mother lives in Bonn.", true],
    ["My father lives in Kiel now.", "My mother lives in Bonn.", false],
    ["I live in Kiel now.", "My mother lives in Bonn.", false],
    ["I live in Kiel, too.", "I live in Bonn.", false],
    ["In my house I smoke.", "I smoke outside.", true],
  ])("S4-13 is corrected by what is of the same one: %s %s", (said, before, isSame) => {
    expect(isAboutSame(said, before)).toBe(isSame);
  });
});
