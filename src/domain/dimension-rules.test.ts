import { describe, expect, it } from "vitest";
import { parseDimension, parseDimensionId } from "./dimension-rules.js";
import { PLATFORM_DIMENSIONS } from "./platform-dimensions.js";

const GOOD = {
  entity: "person",
  type: "string",
  description: "how the person sleeps",
  tags: ["memory_extraction"],
  examples: { preference: "I sleep best cold.", correction: "No longer.", nothing: "Ok." },
};
const parse = (given: object, id = "sleep") => parseDimension(given, parseDimensionId(id, "id"));

describe("a dimension", () => {
  it("S4-09 is of a person, of text, described, and tagged for extraction", () => {
    expect(parse(GOOD)).toMatchObject({ dimension_id: "sleep", cues: [], is_safety: false });
  });

  it.each([
    ["of another entity", { entity: "device" }, "sleep"],
    ["of another type", { type: "number" }, "sleep"],
    ["without a description", { description: " " }, "sleep"],
    ["that isn't tagged", { tags: [] }, "sleep"],
    [
      "without an example of nothing",
      { examples: { preference: "a b", correction: "c d" } },
      "sleep",
    ],
    ["whose name isn't snake case", {}, "sleepHours"],
    ["named as one of the platform", {}, "goals"],
    ["of what a responsible system says", {}, "allergies"],
    ["with a key of its own", { confidence: 1 }, "sleep"],
  ])("S4-09 %s is refused", (_name, wrong, id) => {
    expect(() => parse({ ...GOOD, ...wrong }, id)).toThrow();
  });

  it.each([
    "allergies",
    "allergy_notes",
    "balance",
    "clinical_state",
    "conditions",
    "credit_limit",
    "current_medications",
    "diagnoses",
    "diagnosis",
    "dose",
    "doses",
    "identity",
    "list_of_allergies",
    "medication_taken",
    "medicine",
    "meds",
    "risk_score",
    "verified",
    "user_model",
    "fold",
  ])(
    "S4-09 %s is what somebody else answers for, however it is spelled, and no dimension",
    (id) => {
      expect(() => parse(GOOD, id)).toThrow();
    },
  );

  it.each([
    "appointment_preference",
    "cultural_identity",
    "living_conditions",
    "medication_concerns",
    "status",
    "work_life_balance",
  ])("S4-09 %s is the person's own to speak of", (id) => {
    expect(parse(GOOD, id)).toMatchObject({ dimension_id: id });
  });

  it("S4-05 of the platform: preference, engagement, goals, barriers, change and reported context, each by its own rules", () => {
    expect(PLATFORM_DIMENSIONS.map(({ dimension_id }) => dimension_id).toSorted()).toEqual([
      "barriers",
      "change",
      "communication_preference",
      "engagement",
      "goals",
      "reported_context",
    ]);
    for (const { dimension_id: _id, ...definition } of PLATFORM_DIMENSIONS)
      expect(parse(definition)).toMatchObject(definition);
  });
});
