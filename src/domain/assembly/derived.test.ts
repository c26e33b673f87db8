import { describe, expect, it } from "vitest";
import type { FoldEntry, FoldValue } from "../fold-rules.js";
import { trustedId } from "../ids.js";
import type { StateItem } from "../projection.js";
import { foldCandidates, stateCandidates } from "./derived.js";

const item = (name: string, dose: string | null, change: Partial<StateItem> = {}): StateItem => ({
  fields: { name, dose },
  kind: "report",
  effective_at: "2026-02-01T07:00:00.000Z",
  event_ids: [trustedId<"EventId">(name)],
  ...change,
});

describe("derived candidates", () => {
  it("S4-07 a list names its records, is believed as its least item, and says what it leaves out", () => {
    const items = [item("metformin", "500 mg", { kind: "measurement" }), item("aspirin", null)];
    const section = { key: "medication", title: "Medications", items, of: 5, shown: 2 };
    const none = { key: "condition", title: "Conditions", items: [], of: 0, shown: 0 };
    expect(stateCandidates("clinic", { sections: [section, none] })).toEqual([
      {
        kind: "structured_state",
        name: "clinic.medication",
        sources: ["metformin", "aspirin"],
        text: [
          "Medications:",
          "- metformin, dose 500 mg (measured, since 2026-02-01)",
          "- aspirin (reported, since 2026-02-01)",
          "… and 3 more, not shown: 5 in all",
        ].join("\n"),
        confidence: "reported",
        labels: [["shown", "2 of 5"]],
        at: new Date("2026-02-01T07:00:00Z"),
      },
    ]);
  });

  it("S4-33 a current value says what stands against it, and that it was outranked", () => {
    const value = (change: Partial<FoldValue>): FoldValue => ({
      id: "a",
      value: 81.5,
      unit: "kg",
      conditions: { fasting: true },
      tier: "connector_measurement",
      source: "scale",
      effective_at: "2026-02-01T07:00:00.000Z",
      lineage: ["a"],
      ...change,
    });
    const said = value({ value: "75", unit: null, conditions: null, source: "conversation" });
    const entry: FoldEntry = {
      key: "weight",
      current: { ...value({}), records: 1 },
      rule: "tier",
      disputed: true,
      others: [
        { ...said, why: "outranked" },
        { ...value({ value: 83 }), why: "older" },
      ],
      of: 2,
    };
    const silent = { ...entry, key: "height", current: null };
    expect(foldCandidates({ entries: [entry, silent] })).toMatchObject([
      {
        name: "weight",
        text: "weight: 81.5 kg (fasting true)\nAgainst it stands:\n- 75 (from conversation, outranked)",
        confidence: "measured",
        labels: [
          ["from", "scale"],
          ["disputed", "tier"],
        ],
        sources: ["a"],
      },
    ]);
  });
});
