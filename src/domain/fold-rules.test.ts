import { describe, expect, it } from "vitest";
import type { FoldCandidate } from "./fold-candidate.js";
import { fold } from "./fold-rules.js";

function candidate(id: string, change: Partial<FoldCandidate> = {}): FoldCandidate {
  return {
    id,
    recordId: id,
    key: "smoking",
    tier: "connector_report",
    source: "ehr",
    status: "active",
    value: id,
    unit: null,
    conditions: null,
    effectiveAt: new Date("2026-01-01T00:00:00Z"),
    lineage: [id],
    ...change,
  };
}

const later = { effectiveAt: new Date("2026-02-01T00:00:00Z") };
const said = { tier: "reported", source: "conversation" } as const;

describe("fold", () => {
  it.each<[string, readonly FoldCandidate[], string | null, string | null, Record<string, string>]>(
    [
      ["one candidate", [candidate("a")], "a", "only", {}],
      [
        "a connector outranks what was said later",
        [candidate("a"), candidate("b", { ...said, ...later })],
        "a",
        "tier",
        { b: "outranked" },
      ],
      [
        "a measurement outranks a later report",
        [candidate("a", { tier: "connector_measurement" }), candidate("b", later)],
        "a",
        "tier",
        { b: "outranked" },
      ],
      [
        "what was said outranks what was inferred",
        [candidate("a", { tier: "inferred", ...later }), candidate("b", said)],
        "b",
        "tier",
        { a: "outranked" },
      ],
      [
        "of one tier the later effective one",
        [candidate("a", later), candidate("b")],
        "a",
        "newest",
        { b: "older" },
      ],
      [
        "a danger stands beside what was said later, and first",
        [
          candidate("a", { ...said, ...later }),
          candidate("b", said),
          candidate("c", { ...said, isSafety: true }),
        ],
        "a",
        "newest",
        { c: "beside", b: "older" },
      ],
      [
        "two dangers of one moment stand beside each other, and neither is disputed",
        [
          candidate("b", { ...said, isSafety: true, value: "nuts" }),
          candidate("a", { ...said, isSafety: true }),
        ],
        "a",
        "only",
        { b: "beside" },
      ],
      ["of one moment a tie, shown", [candidate("b"), candidate("a")], "a", "tie", { b: "tie" }],
      [
        "what was withdrawn, ended or superseded never",
        [
          candidate("a", { status: "withdrawn", value: null, ...later }),
          candidate("b", { status: "ended", ...later }),
          candidate("c", { ...said, status: "superseded", ...later }),
          candidate("d", said),
        ],
        "d",
        "only",
        { a: "withdrawn", b: "ended", c: "superseded" },
      ],
      [
        "nothing that stands",
        [candidate("a", { status: "withdrawn", value: null })],
        null,
        null,
        { a: "withdrawn" },
      ],
    ],
  )("S4-08 %s", (_, candidates, current, rule, others) => {
    for (const given of [candidates, candidates.toReversed()]) {
      const [entry] = fold([], given).entries;
      expect([entry?.current?.id ?? null, entry?.rule]).toEqual([current, rule]);
      expect(Object.fromEntries(entry?.others.map(({ id, why }) => [id, why]) ?? [])).toEqual(
        others,
      );
    }
  });

  it("S4-33 what was generated disputes a connector's value, and never replaces it", () => {
    const [entry] = fold([], [candidate("a"), candidate("b", said)]).entries;
    expect(entry).toMatchObject({
      current: { value: "a", tier: "connector_report", source: "ehr", lineage: ["a"] },
      disputed: true,
    });
  });

  it("S4-22 records that agree are counted, what was generated twice counts once", () => {
    const same = { value: 80 };
    const ehr = [candidate("a", { ...same, ...later }), candidate("b", same), candidate("c")];
    expect(fold([], ehr).entries[0]?.current?.records).toBe(2);
    const talk = [
      candidate("a", { ...said, ...same, ...later }),
      candidate("b", { ...said, ...same }),
    ];
    expect(fold([], talk).entries[0]).toMatchObject({ current: { records: 1 }, disputed: false });
  });

  it("S4-17 another unit or condition is another value", () => {
    const kilograms = candidate("a", { value: 80, unit: "kg", ...later });
    const others = [
      candidate("b", { value: 80, unit: "lb" }),
      candidate("c", { value: 80, unit: "kg", conditions: { fasting: true } }),
    ];
    for (const other of others)
      expect(fold([], [kilograms, other]).entries[0]).toMatchObject({
        current: { records: 1 },
        disputed: true,
      });
  });

  it("S4-08 keys are apart and in one order, lists are left out, others are bounded and counted", () => {
    const many = Array.from({ length: 20 }, (_, n) => candidate(`m${n}`));
    const given = [...many, candidate("z", { key: "diet" }), candidate("y", { key: "allergy" })];
    const { entries } = fold([], given, new Set(["allergy"]));
    expect(entries.map(({ key, of, others }) => [key, of, others.length])).toEqual([
      ["diet", 0, 0],
      ["smoking", 19, 8],
    ]);
  });
});
