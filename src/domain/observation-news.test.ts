import { expect, it } from "vitest";
import { openCues } from "../compose/cues.js";
import { type DimensionId, type ObservationId, trustedId } from "./ids.js";
import type { KnownObservation, Observed, ObservedTurn } from "./observation.js";
import { parseObservations } from "./observation-rules.js";
import { PLATFORM_DIMENSIONS } from "./platform-dimensions.js";

const CUES = openCues({});
const DIMENSION = "communication_preference" as DimensionId;
const LAST_TIME = new Date("2026-03-01T09:00:00Z");

/** What is kept of an answer that words this quote so, where the person said just that in a turn of its own. */
function observe(
  turn: string,
  text: string,
  quote: string,
  known: readonly KnownObservation[] = [],
): readonly Observed[] {
  const said: ObservedTurn = {
    id: trustedId<"TurnId">(turn),
    role: "user",
    speaker: "subject",
    text: `Well. ${quote}.`,
    observedAt: LAST_TIME,
  };
  const entry = { dimension: DIMENSION, text, turn_ids: [turn], quotes: [quote] };
  const source = { dimensions: PLATFORM_DIMENSIONS, cues: CUES, turns: [said], known, model: null };
  return parseObservations({ observations: [entry] }, source).observed;
}

const knownAs = (one: Observed | undefined): KnownObservation => {
  if (one === undefined) throw new Error("it is observed the first time");
  const id = trustedId<"ObservationId">("k1") as ObservationId;
  return { ...one, id, observedAt: LAST_TIME, supersededBy: null };
};

it("S4-05 what a person says again word for word is no news, however a model words it", () => {
  const quote = "I prefer calls in the morning";
  const known = [knownAs(observe("t1", "Prefers calls in the morning.", quote)[0])];
  expect(observe("t2", "In the morning, calls: preferred.", quote, known)).toEqual([]);
  const other = "I prefer emails in the evening";
  expect(observe("t2", "Prefers emails in the evening.", other, known)).toHaveLength(1);
});

it("S4-05 a word or two that are said of many things tell nothing", () => {
  const known = [knownAs(observe("t1", "Prefers calls", "prefer calls")[0])];
  expect(observe("t2", "Calls, prefer", "prefer calls", known)).toHaveLength(1);
});

it.each([
  ["I want calls in the morning", "i WANT  calls, in the\nmorning!", true],
  ["I don\u2019t want calls", "i don't want calls", true],
  ["I want calls in the morning", "I want no calls in the morning", false],
  ["I want 5.1 calls", "I want 51 calls", false],
  ["I want about -5 calls", "I want about 5 calls", false],
])(
  "S4-03 %j once more as %j: the same words, whatever the case and the marks",
  (before, again, isSame) => {
    const known = [knownAs(observe("t1", before, before)[0])];
    const text = again.includes("no ") ? again : `Calls: ${again}`;
    expect(observe("t2", text, again, known)).toHaveLength(isSame ? 0 : 1);
  },
);
