import { describe, expect, it } from "vitest";
import { nextStage, slotsOfConditions } from "./next-stage.js";
import type { Stage } from "./route.js";

const plain = (stage_id: string): Stage => ({ stage_id, tools: [], recall: false });
const STAGES: readonly Stage[] = [
  plain("triage"),
  { ...plain("refund"), when: { slot: "triage.kind", equals: "refund" } },
  plain("review"),
  { ...plain("send"), gate: { slot: "review.approved", equals: true } },
];

describe("next stage", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
    ["the first one", {}, "triage"],
    ["a branch that is taken", { triage: { kind: "refund" } }, "refund"],
    ["the one behind a branch that isn't", { triage: { kind: "question" } }, "review"],
    ["not a later one that was completed first", { send: {} }, "triage"],
    ["none before a closed gate", { triage: {}, review: { approved: false } }, undefined],
    ["none before a gate of another type", { triage: {}, review: { approved: "true" } }, undefined],
    ["the one behind an open gate", { triage: {}, review: { approved: true } }, "send"],
    [
      "none where all are complete",
      { triage: {}, review: { approved: true }, send: {} },
      undefined,
    ],
  ])("S3-05 is %s", (_, slots, expected) => {
    expect(nextStage(STAGES, Object.keys(slots), slots)?.stage_id).toBe(expected);
  });

  it("S3-05 depends on the slots that its conditions name", () => {
    expect(slotsOfConditions(STAGES)).toEqual(["triage", "review"]);
  });
});
