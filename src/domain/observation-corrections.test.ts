import { describe, expect, it } from "vitest";
import { openCues } from "../compose/cues.js";
import { type DimensionId, type ObservationId, trustedId } from "./ids.js";
import type { KnownObservation, ObservedSpeaker, ObservedTurn } from "./observation.js";
import { mayCorrect } from "./observation-corrections.js";
import { newsBeside } from "./observation-news.js";
import { parseObservations } from "./observation-rules.js";
import { findObservations } from "./observe-extract.js";
import { PLATFORM_DIMENSIONS } from "./platform-dimensions.js";
import { inOneGo } from "./steps.js";

const CUES = openCues({});
const CONTEXT = "reported_context" as DimensionId;
const earlier = (text: string, more: Partial<KnownObservation> = {}): KnownObservation => ({
  id: trustedId<"ObservationId">("k1"),
  dimension: CONTEXT,
  text,
  quotes: [],
  tier: "reported",
  isSafety: CUES.isAboutSafety(text),
  observedAt: new Date("2026-03-01T09:00:00Z"),
  supersededBy: null,
  ...more,
});
const later = (text: string, speaker: ObservedSpeaker = "subject"): ObservedTurn => ({
  id: trustedId<"TurnId">("t1"),
  role: "user",
  speaker,
  text,
  observedAt: new Date("2026-03-02T09:00:00Z"),
});
const ALLERGY = earlier("I'm allergic to penicillin.");

describe("a correction", () => {
  it.each([
    ["that it's over", "I'm no longer allergic to penicillin.", true],
    ["that it's over, now", "Actually I'm not allergic to penicillin any more.", true],
    ["that it was something else", "Actually it was never penicillin, but amoxicillin.", false],
    ["that they don't want it", "No penicillin for me, please!", false],
    ["that they don't take it", "I can't take penicillin, it is not safe.", false],
    ["what isn't so", "It is not true that I can take penicillin.", false],
    ["when it doesn't hold", "I'm not allergic to penicillin on good days, says my mother.", false],
    ["the denial of a part of it alone", "I'm not allergic to nuts any more.", false],
    ["another one beside it", "I'm now allergic to peanuts, too.", false],
    ["it once more", "I'm now allergic to penicillin, badly.", false],
    ["that it goes on", "I'm not allergic to nuts any more, penicillin still is bad.", false],
    ["something else", "I had a seizure last week.", false],
    ["under a condition", "I'm no longer allergic to penicillin, if the test is right.", false],
    ["what somebody else says", "My ex says: I'm no longer allergic to penicillin.", false],
    ["that it is less", "I'm no longer very allergic to penicillin.", false],
    ["what they hope", "I hope, someday, I'm no longer allergic to penicillin.", false],
    ["its denial's denial", "I don't think, that I am not allergic to penicillin.", false],
    ["its denial with more", "I'm not allergic to penicillin, nuts are the problem.", false],
    ["its denial, beside a lie", "I'm not allergic to penicillin. They wrote that.", false],
  ])(
    "S4-06 of what may hurt the person is what the person says of all of it: %s",
    (_name, said, holds) => {
      const one = { dimension: CONTEXT, text: said, said, outright: said };
      expect(mayCorrect({ ...one, speaker: "subject" }, ALLERGY, CUES)).toBe(holds);
      expect(mayCorrect({ ...one, speaker: "other" }, ALLERGY, CUES)).toBe(false);
      const guessed = { ...ALLERGY, tier: "inferred" as const };
      expect(mayCorrect({ ...one, speaker: "other" }, guessed, CUES)).toBe(false);
    },
  );

  it.each([
    ["I'm no longer allergic to penicillin.", "k1"],
    ["Am I no longer allergic to penicillin", null],
    ["I'm not allergic to penicillin, am I?", null],
    ["I'm no longer allergic to penicillin. That was a lie.", null],
    ["My sister wrote:\nI'm no longer allergic to penicillin.", null],
    ["It isn't so, they say, that\nI'm no longer allergic to penicillin.", null],
  ])("S4-06 of a danger is said outright: %s", (text, supersedes) => {
    const quote = "I'm no longer allergic to penicillin";
    const source = {
      dimensions: PLATFORM_DIMENSIONS,
      cues: CUES,
      turns: [later(text)],
      known: [ALLERGY],
      model: null,
    };
    const quotes = [text.includes(quote) ? quote : text];
    const entry = { dimension: CONTEXT, text: quote, turn_ids: ["t1"], quotes, supersedes: "k1" };
    const { observed } = parseObservations({ observations: [entry] }, source);
    expect(observed[0]?.supersedes ?? null).toBe(supersedes);
  });

  it("S4-06 of a danger is its denial along any dimension", () => {
    const said = "I'm no longer allergic to penicillin.";
    const one = {
      dimension: "change" as DimensionId,
      text: said,
      said,
      outright: said,
      speaker: "subject",
    } as const;
    expect(mayCorrect(one, ALLERGY, CUES)).toBe(true);
    const beside = "I'm no longer allergic to nuts.";
    expect(
      mayCorrect({ ...one, text: beside, said: beside, outright: beside }, ALLERGY, CUES),
    ).toBe(false);
  });

  it.each([
    ["another dimension", { dimension: "goals" as DimensionId }, false],
    ["nothing in common", { text: "I like jazz.", said: "I like jazz." }, false],
    ["the same thing", {}, true],
  ])("S4-13 is about what it corrects: of %s", (_name, more, holds) => {
    const said = "I work nights now, at the harbour.";
    const one = {
      dimension: CONTEXT,
      text: said,
      said,
      outright: said,
      speaker: "subject",
      ...more,
    } as const;
    expect(mayCorrect(one, earlier("I work days at the mill."), CUES)).toBe(holds);
  });

  it("S4-02 of what the person said is nobody else's, in new words or in those that the person corrected", () => {
    const one = {
      dimension: CONTEXT,
      text: "Works nights now",
      said: "She works nights now.",
      outright: "",
    };
    expect(mayCorrect({ ...one, speaker: "other" }, earlier("I work days."), CUES)).toBe(false);
    const inferred = earlier("Works days", {
      tier: "inferred",
      supersededBy: "k2" as ObservationId,
    });
    const known = [earlier("I work nights.", { id: "k2" as ObservationId }), inferred];
    const turns = [later("Works days", "other")];
    const source = { dimensions: PLATFORM_DIMENSIONS, cues: CUES, turns, known: [], model: null };
    const [again] = parseObservations(
      {
        observations: [
          { dimension: CONTEXT, text: "Works days", turn_ids: ["t1"], quotes: ["Works days"] },
        ],
      },
      source,
    ).observed;
    expect(again && newsBeside({ turns, known })(again)).toMatchObject({ supersedes: null });
  });

  it.each([
    ["I'm allergic to penicillin.", "I'm now allergic to peanuts, too.", CONTEXT],
    ["I was diagnosed with a nut allergy.", "I was diagnosed with diabetes now.", CONTEXT],
    ["I want to quit smoking.", "I want to learn swimming instead of my old sport.", "goals"],
  ])(
    "S4-06 isn't guessed from what sentences of one dimension have in common: %s %s",
    (before, text, dimension) => {
      const known = [earlier(before, { dimension: dimension as DimensionId })];
      const source = {
        dimensions: PLATFORM_DIMENSIONS,
        cues: CUES,
        turns: [later(text)],
        known,
        model: null,
      };
      const { observations } = inOneGo(findObservations(source));
      expect(observations).toMatchObject([{ dimension }]);
      expect(observations[0]).not.toHaveProperty("supersedes");
    },
  );

  it("S4-04 is looked for an earlier observation a step", () => {
    const known = Array.from({ length: 50 }, (_, at) =>
      earlier(`I live in house ${at}.`, { id: trustedId<"ObservationId">(`k${at}`) }),
    );
    const turns = [later("I live in Oslo instead of Rome.")];
    const given = { dimensions: PLATFORM_DIMENSIONS, cues: CUES, turns, model: null };
    const stepsOf = (some: readonly KnownObservation[]) => {
      const steps = findObservations({ ...given, known: some });
      let count = 0;
      while (steps.next().done !== true) count += 1;
      return count;
    };
    expect(stepsOf(known) - stepsOf([])).toBe(known.length);
  });
});
