import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventFact } from "./event.js";
import { fold } from "./fold-rules.js";
import { trustedId } from "./ids.js";
import { type Projection, project } from "./projection.js";
import { checkListed, listKeys, parseProjection } from "./projection-rules.js";

const CLINIC: Projection = parseProjection({
  projection: "clinic",
  description: "What connectors say",
  sections: [
    { key: "allergy", title: "Allergies", fields: ["name", "reaction"] },
    { key: "medication", title: "Medications", fields: ["name", "dose"], items_max: 2 },
  ],
});

function fact(change: Partial<EventFact> & { readonly id?: string } = {}): EventFact {
  const { id = "r1/1", ...rest } = change;
  return {
    eventId: trustedId<"EventId">(id),
    recordId: id.split("/")[0] ?? "",
    sourceRevision: Number(id.split("/")[1]),
    kind: "report",
    source: "ehr",
    key: "allergy",
    status: "active",
    value: "penicillin",
    unit: null,
    conditions: null,
    code: null,
    effectiveAt: new Date("2026-01-01T00:00:00Z"),
    expiresAt: null,
    ...rest,
  };
}

const list = (facts: readonly EventFact[], key = "allergy") => {
  const section = project(CLINIC, facts).sections.find((it) => it.key === key);
  return section?.items.map(({ fields }) => Object.values(fields).join("/"));
};

describe("project", () => {
  it.each<[string, readonly EventFact[], readonly string[]]>([
    ["a text is the first field", [fact()], ["penicillin/"]],
    [
      "what differs in what is shown stands apart",
      [fact(), fact({ id: "r2/1", value: { name: "Penicillin", reaction: "rash" } })],
      ["Penicillin/rash", "penicillin/"],
    ],
    [
      "spelling tells nothing apart",
      [fact(), fact({ id: "r2/1", value: "PENICILLIN " })],
      ["penicillin/"],
    ],
    [
      "a raised digit is another number",
      [fact({ value: "10⁹ units" }), fact({ id: "r2/1", value: "109 units" })],
      ["109 units/", "10⁹ units/"],
    ],
    [
      "another unit is another item",
      [fact({ unit: "mg" }), fact({ id: "r2/1", unit: "g" })],
      ["penicillin/", "penicillin/"],
    ],
    [
      "what holds under conditions isn't what holds without, whatever their order",
      [
        fact(),
        fact({ id: "r2/1", conditions: { a: 1, ruled_out: true } }),
        fact({ id: "r3/1", conditions: { ruled_out: true, a: 1 } }),
      ],
      ["penicillin/", "penicillin/"],
    ],
    [
      "a correction replaces its own record",
      [fact(), fact({ id: "r1/2", value: "latex" })],
      ["latex/"],
    ],
    [
      "a withdrawal takes its own record back",
      [fact(), fact({ id: "r1/2", status: "withdrawn" })],
      [],
    ],
    [
      "and no other one's",
      [fact(), fact({ id: "r2/1" }), fact({ id: "r1/2", status: "withdrawn" })],
      ["penicillin/"],
    ],
    ["what has ended isn't listed", [fact({ status: "ended" })], []],
    ["another key is another list's", [fact({ key: "weight" })], []],
  ])("S4-07 %s", (_, facts, expected) => {
    expect(list(facts)).toEqual(expected);
  });

  it("S4-07 a bounded list says how many there are, and a list without bound is whole", () => {
    const many = (key: string) =>
      Array.from({ length: 300 }, (_, n) => fact({ id: `${key}${n}/1`, key, value: `x${n}` }));
    const { sections } = project(CLINIC, [...many("medication"), ...many("allergy")]);
    expect(sections.map(({ key, of, shown, items }) => [key, of, shown, items.length])).toEqual([
      ["allergy", 300, 300, 300],
      ["medication", 300, 2, 2],
    ]);
  });

  it("S4-22 a repeated measurement counts, the same revision again doesn't", () => {
    const measured = { kind: "measurement" } as const;
    const facts = [fact(measured), fact(measured), fact({ ...measured, id: "r2/1" })];
    const { items = [] } = project(CLINIC, facts).sections[0] ?? {};
    expect(items.map(({ event_ids, kind }) => [event_ids.length, kind])).toEqual([
      [2, "measurement"],
    ]);
  });

  it("S4-02 S4-14 what was concluded today makes nothing measured today: each kind is an item with its own time", () => {
    const measured = fact({ kind: "measurement", effectiveAt: new Date("2019-01-01T00:00:00Z") });
    const concluded = { kind: "inference", effectiveAt: measured.effectiveAt } as const;
    for (const facts of [
      [measured, fact({ ...concluded, id: "r2/1" }), fact({ kind: "inference", id: "r3/1" })],
      [fact({ ...concluded, id: "r2/1" }), fact({ kind: "inference", id: "r3/1" }), measured],
    ])
      expect(
        project(CLINIC, facts).sections[0]?.items.map((it) => [
          it.kind,
          it.effective_at.slice(0, 4),
        ]),
      ).toEqual([
        ["inference", "2026"],
        ["measurement", "2019"],
      ]);
  });

  it.each<[string, object]>([
    ["user_model", { projection: "user_model" }],
    ["no sections", { sections: [] }],
    ["a key twice", { sections: [CLINIC.sections[0], CLINIC.sections[0]].map(written) }],
    ["no fields", { sections: [{ ...written(CLINIC.sections[0]), fields: [] }] }],
    ["an unknown key", { colour: "red" }],
  ])("S4-07 a definition with %s is refused", (_, change) => {
    const good = { projection: "p", description: "d", sections: CLINIC.sections.map(written) };
    expect(parseProjection(good).sections).toHaveLength(2);
    expect(() => parseProjection({ ...good, ...change })).toThrow();
  });

  it("S4-07 what a list couldn't name isn't taken", () => {
    const value = { reaction: "rash" };
    expect(() => checkListed([CLINIC], { key: "allergy", value })).toThrow("`name`");
    expect(() => checkListed([CLINIC], { key: "weight", value })).not.toThrow();
  });
});

function written({ key, title, fields }: Projection["sections"][number]) {
  return { key, title, fields };
}

/** Revisions of a few records, as they could come from two systems that disagree. */
const revisions = fc.array(
  fc
    .record({
      record: fc.integer({ min: 1, max: 4 }),
      revision: fc.integer({ min: 1, max: 3 }),
      key: fc.constantFrom("allergy", "medication", "weight"),
      value: fc.constantFrom<EventFact["value"][]>(80, "a", "A ", { name: "a", dose: "1" }),
      status: fc.constantFrom("active", "ended", "withdrawn"),
      kind: fc.constantFrom("measurement", "report", "inference"),
      day: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ record, revision, key, value, status, kind, day }) =>
      fact({
        id: `r${record}/${revision}`,
        source: record < 3 ? "ehr" : "pharmacy",
        key,
        value: status === "withdrawn" ? null : value,
        status: status as EventFact["status"],
        kind: kind as EventFact["kind"],
        effectiveAt: new Date(Date.UTC(2026, 0, day)),
      }),
    ),
  { maxLength: 14 },
);

describe("structured state and fold", () => {
  it("S4-07 S4-08 S4-22 are the same in any order of events, corrections, withdrawals and re-imports", () => {
    fc.assert(
      fc.property(
        // One content for each revision: another one is refused when it is recorded.
        revisions.map((facts) => [...new Map(facts.map((it) => [it.eventId, it])).values()]),
        fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        (facts, seeds) => {
          const again = [...facts, ...facts.filter((_, n) => (seeds[n] ?? 0) % 2 === 0)];
          const shuffled = again
            .map((it, n) => [seeds[n % seeds.length] ?? 0, n, it] as const)
            .toSorted(([a, n], [b, m]) => a - b || m - n)
            .map(([, , it]) => it);
          expect(project(CLINIC, shuffled)).toEqual(project(CLINIC, facts));
          const lists = listKeys([CLINIC]);
          expect(fold(shuffled, [], lists)).toEqual(fold(facts, [], lists));
        },
      ),
    );
  });
});
