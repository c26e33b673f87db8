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
    effective_at: "2025-02-01T07:00:00Z",
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
  entry("d", { key: "weight", value: 90, unit: "kg", effective_at: "2025-02-20T07:00:00Z" }),
];

/** A revision; one that `ends` has an end of its own. */
type Told = EventEntry & { readonly ends: boolean };

/** The record that is forgotten in each history. */
const FORGOTTEN = "b";

const KEYS = { a: "allergy", b: "medication", c: "weight", d: "weight" } as const;

/** Revisions of some records, whatever they say: corrected, ended, withdrawn, with an end of their own. */
const REVISIONS: fc.Arbitrary<readonly Told[]> = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom("a", "b", "c", "d"),
      revision: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom("report", "measurement", "inference"),
      status: fc.constantFrom("active", "active", "ended", "withdrawn"),
      day: fc.integer({ min: 1, max: 3 }),
      amount: fc.integer({ min: 80, max: 82 }),
      ends: fc.boolean(),
    }),
    { minLength: 4, maxLength: 8, selector: ({ id, revision }) => `${id}/${revision}` },
  )
  .map((revisions) =>
    revisions.map(({ id, revision, kind, status, day, amount, ends }): Told => {
      const isWeight = KEYS[id] === "weight";
      const said = isWeight ? { value: amount, unit: "kg" } : { value: `${KEYS[id]} ${amount}` };
      // Never two of one moment: which of those is shown goes by their ids, and two people's aren't the same.
      const date = `2025-03-0${2 * day + (id === "d" ? 1 : 0)}`;
      const at = { source_revision: revision, effective_at: `${date}T07:00:00Z` };
      return { ...entry(id, { key: KEYS[id], kind, status, ...said, ...at }), ends };
    }),
  );

/** Each history as it was told once, and in any order with repeats and jobs in between. */
const HISTORIES = REVISIONS.chain((told) => {
  const steps = [...told, ...told, "talk", "forget", "jobs", "jobs"] as const;
  return fc.record({
    told: fc.constant(told),
    order: fc.shuffledSubarray([...steps], { minLength: steps.length }),
  });
});

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
  /** A view without the ids and the times of talking that two people's rows don't share. */
  const plain = (body: unknown) =>
    JSON.stringify(body, (key, value: unknown) => {
      if (key === "effective_at") return String(value).startsWith("2025-") ? value : "said";
      const isId = key === "id" || key === "event_ids" || key === "lineage";
      return isId ? Array.isArray(value) && value.length : value;
    });
  /** A revision that ends by itself does so in an hour. */
  const dated = ({ ends, ...event }: Told): EventEntry => {
    const expires_at = new Date(m.clock.now().getTime() + 3_600_000).toISOString();
    return ends ? { ...event, expires_at } : event;
  };

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

  /** A step of a person's history: a record comes or is forgotten, the person says something and leaves, what is queued is worked on. */
  type Step = EventEntry | "talk" | "jobs" | "forget";

  /** To the end, when what may expire has expired. What isn't there yet is forgotten once it is. */
  async function live(subject: string, steps: readonly Step[]): Promise<void> {
    const came = new Set<string>();
    let isForgetting = false;
    for (const step of steps) {
      if (step === "talk") await talk(subject);
      else if (step === "jobs") await m.jobs.run();
      else if (step === "forget") isForgetting = true;
      else {
        await record(subject, step);
        came.add(step.source_id);
      }
      if (isForgetting && came.has(FORGOTTEN)) {
        await m.privacy().eraseScope(subject, "source", { target: `ehr/${FORGOTTEN}` });
        isForgetting = false;
      }
    }
    await m.jobs.run();
    m.clock.forward({ hours: 2 });
  }

  async function talk(subject: string): Promise<void> {
    const { run_id } = await m.app().startRun(subject, "s", { route_id: "ward", goal: "Talk" });
    const turns = [{ role: "user", text: "I want to walk to the lake." }] as const;
    await m.app().appendTurns(run_id, { turns });
    await m.app().closeSession(subject, "s", { compress: false });
  }

  it("S4-07 S4-08 S4-22 any order of records, corrections, repeats, talks, jobs and the forgetting of a source gives the same lists and values", async () => {
    const reference = someone();
    await live(reference, [...TOLD, "talk"]);
    expect(plain(await view(reference, "clinical_state"))).toContain("rash");
    const current = plain(await view(reference, "fold"));
    expect(current).toContain('"records":1');
    expect(current).toContain("walk to the lake");
    await fc.assert(
      fc.asyncProperty(HISTORIES, async ({ told, order }) => {
        const [straight, shuffled] = [someone(), someone()];
        const inTime = (steps: readonly (Told | Exclude<Step, EventEntry>)[]) =>
          steps.map((step): Step => (typeof step === "string" ? step : dated(step)));
        await live(straight, inTime([...told, "talk", "forget"]));
        await live(shuffled, inTime(order));
        for (const name of ["clinical_state", "fold"])
          expect(plain(await view(shuffled, name))).toBe(plain(await view(straight, name)));
      }),
      { numRuns: 3, endOnFailure: true },
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
