import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { Fold } from "../../src/domain/fold-rules.js";
import type { StructuredState } from "../../src/domain/projection.js";
import type { EventEntry } from "../../src/services/event-bodies.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

/** A record of the hospital's system. */
function entry(source_id: string, change: Partial<EventEntry> = {}): EventEntry {
  return {
    source: "ehr",
    source_id,
    source_revision: 1,
    kind: "report",
    key: "allergy",
    value: source_id,
    effective_at: "2026-02-01T07:00:00Z",
    ...change,
  };
}

/** Two records with a correction, an end and a withdrawal among their revisions, and one key with a value. */
const TOLD: readonly EventEntry[] = [
  entry("a", { value: "penicillin" }),
  entry("a", { value: { name: "penicillin", reaction: "rash" }, source_revision: 2 }),
  entry("b", { key: "medication", value: { name: "metformin", dose: "500 mg" } }),
  entry("b", { key: "medication", source_revision: 2, status: "withdrawn" }),
  entry("c", { key: "weight", kind: "measurement", value: 81.5, unit: "kg" }),
  entry("d", { key: "weight", value: 90, unit: "kg", effective_at: "2026-02-20T07:00:00Z" }),
];

describeEachDatabase("structured state", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("ward", routeBody({ views: ["clinical_state", "fold"] }));
  });

  const someone = () => `person-${people++}`;
  const record = (subject: string, ...events: EventEntry[]) =>
    m.service("connector").recordEvents(subject, { events });
  const view = async (subject: string, name: string) =>
    (await m.operator().readView(subject, name)).body;
  /** What the projection lists of one key, by its shown fields. */
  const listed = async (subject: string, key: string) => {
    const { sections } = (await view(subject, "clinical_state")) as StructuredState;
    const section = sections.find((it) => it.key === key);
    return section?.items.map(({ fields }) => Object.values(fields).join(" ").trim());
  };
  /** A view without the ids that two people's rows don't share. */
  const plain = (body: unknown) =>
    JSON.stringify(body, (key, value: unknown) =>
      key === "id" || key === "event_ids" || key === "lineage"
        ? Array.isArray(value) && value.length
        : value,
    );

  it("S4-07 a correction, an end and a withdrawal change the list at once, whatever else stands", async () => {
    const jane = someone();
    await record(jane, entry("a"), entry("b"));
    expect(await listed(jane, "allergy")).toEqual(["a", "b"]);
    await record(jane, entry("a", { source_revision: 2, value: "latex" }));
    expect(await listed(jane, "allergy")).toEqual(["b", "latex"]);
    await record(jane, entry("b", { source_revision: 2, status: "ended" }));
    expect(await listed(jane, "allergy")).toEqual(["latex"]);
    await record(jane, entry("a", { source_revision: 3, status: "withdrawn" }));
    expect(await listed(jane, "allergy")).toEqual([]);
  });

  it("S4-07 allergies are never truncated, medications are, and the pack says so", async () => {
    const tom = someone();
    const many = (key: string) =>
      Array.from({ length: 30 }, (_, n) => entry(`${key}-${n}`, { key, value: `${key} ${n}` }));
    await record(tom, ...many("allergy"), ...many("medication"));
    const { sections } = (await view(tom, "clinical_state")) as StructuredState;
    expect(sections.map(({ key, of, shown }) => [key, of, shown])).toEqual([
      ["allergy", 30, 30],
      ["medication", 30, 20],
      ["condition", 0, 0],
    ]);
    const { run_id: run } = await m.app().startRun(tom, "s", { route_id: "ward", goal: "Round" });
    const { text } = await m.app().assemble(run, {});
    expect(text.match(/- allergy \d+ \(reported/g)).toHaveLength(30);
    expect(text).toContain("… and 10 more, not shown: 30 in all");
  });

  /** A step of a person's history: a record comes, the person says something and leaves, or what is queued is worked on. */
  type Step = EventEntry | "talk" | "jobs";

  async function live(subject: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step === "talk") await talk(subject);
      else if (step === "jobs") await m.jobs.run();
      else await record(subject, step);
    }
    await m.jobs.run();
  }

  async function talk(subject: string): Promise<void> {
    const { run_id } = await m.app().startRun(subject, "s", { route_id: "ward", goal: "Talk" });
    const turns = [{ role: "user", text: "I want to walk to the lake." }] as const;
    await m.app().appendTurns(run_id, { turns });
    await m.app().closeSession(subject, "s", { compress: false });
  }

  it("S4-07 S4-08 S4-22 any order of records, repeats, talks and jobs gives the same lists and values", async () => {
    const reference = someone();
    await live(reference, [...TOLD, "talk"]);
    const [state, current] = [
      plain(await view(reference, "clinical_state")),
      plain(await view(reference, "fold")),
    ];
    expect(state).toContain("rash");
    expect(current).toContain('"records":1');
    expect(current).toContain("walk to the lake");
    const all: readonly Step[] = [...TOLD, ...TOLD, "talk", "jobs", "jobs"];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...all], { minLength: all.length }), async (steps) => {
        const person = someone();
        await live(person, steps);
        expect(plain(await view(person, "clinical_state"))).toBe(state);
        expect(plain(await view(person, "fold"))).toBe(current);
      }),
      { numRuns: 3 },
    );
  });

  it("S4-08 S4-22 a measurement outranks a later report, says from where, and counts only records of its own", async () => {
    const ann = someone();
    const scale = { key: "weight", kind: "measurement", value: 81.5, unit: "kg" } as const;
    await record(ann, entry("m1", scale));
    await record(ann, entry("m1", scale), entry("m2", scale));
    await record(ann, entry("r1", { ...scale, kind: "report", value: 90, source_revision: 7 }));
    const { entries } = (await view(ann, "fold")) as Fold;
    expect(entries).toMatchObject([
      {
        key: "weight",
        current: {
          value: 81.5,
          unit: "kg",
          tier: "connector_measurement",
          source: "ehr",
          records: 2,
        },
        rule: "tier",
        disputed: true,
        of: 2,
      },
    ]);
    expect(entries[0]?.others.map(({ why }) => why).toSorted()).toEqual(["outranked", "tie"]);
    expect(entries[0]?.current?.lineage).toHaveLength(1);
  });

  it("S4-07 S5-08 what is forgotten, or whose clock ran out, is in no view any more, and nothing else is missing", async () => {
    const kim = someone();
    const until = new Date(m.clock.now().getTime() + 3_600_000).toISOString();
    await record(kim, entry("a"), entry("b"), entry("c", { expires_at: until }));
    await m.privacy().eraseScope(kim, "source", { target: "ehr/a" });
    expect(await listed(kim, "allergy")).toEqual(["b", "c"]);
    m.clock.forward({ hours: 2 });
    expect(await listed(kim, "allergy")).toEqual(["b"]);
  });

  it("S4-07 an event that its list couldn't name is refused", async () => {
    const { events } = await record(someone(), entry("x", { value: { reaction: "rash" } }));
    expect(events).toMatchObject([
      { status: "refused", refusal: { kind: "invalid_input", field: "value" } },
    ]);
  });

  it("S4-01 S4-30 the layers stay apart: events are in views alone, and in those of their workspace", async () => {
    const lea = someone();
    await record(lea, entry("a", { value: "zq penicillin" }));
    const { run_id: run } = await m.app().startRun(lea, "s", { route_id: "ward", goal: "Round" });
    const pack = await m.app().assemble(run, {});
    const shown = pack.items.filter(({ text }) => text.includes("penicillin"));
    expect(shown.map(({ layer, kind }) => [layer, kind])).toEqual([
      ["derived", "structured_state"],
    ]);
    expect((await m.app().recallTurns(run, { query: "penicillin" })).hits).toEqual([]);
    const elsewhere = m.as({ id: "olga", kind: "human", roles: ["operator"], workspace: "other" });
    expect((await elsewhere.readView(lea, "clinical_state")).body).toMatchObject({
      sections: [{ of: 0 }, { of: 0 }, { of: 0 }],
    });
    expect(await refusalOf(m.operator("bank-nz").readView(lea, "clinical_state"))).toBe(
      "not_found",
    );
    expect(m.alarms).toEqual([]);
  });
});
