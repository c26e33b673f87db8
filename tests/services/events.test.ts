import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import type { EventEntry } from "../../src/services/event-bodies.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, type TestMuniment } from "../support/muniment.js";

/** A record of the hospital's system; parts of it may be given anew. */
function entry(change: Partial<EventEntry> = {}): EventEntry {
  return {
    source: "ehr",
    source_id: "obs-1",
    source_revision: 1,
    kind: "measurement",
    key: "weight",
    value: 81.5,
    unit: "kg",
    conditions: { fasting: true },
    effective_at: "2026-02-01T07:00:00+01:00",
    speaker: "jane",
    observer: "nurse-7",
    ...change,
  };
}

describeEachDatabase("events", (database) => {
  let m: TestMuniment;
  const connector = () => m.service("connector");
  const record = (subject: string, ...events: EventEntry[]) =>
    connector().recordEvents(subject, { events });
  const list = async (subject: string, query = {}) =>
    (await m.operator().listEvents(subject, query)).events;

  beforeAll(async () => {
    m = await openTestMuniment(database);
  });

  it("S4-17 keeps kind, unit, conditions, code, effective time and the source's revision", async () => {
    const { recorded } = await record("meaning", entry({ code: "loinc:29463-7" }));
    expect(recorded).toBe(1);
    expect(await list("meaning")).toMatchObject([
      {
        source: "ehr",
        source_id: "obs-1",
        source_revision: 1,
        kind: "measurement",
        key: "weight",
        status: "active",
        value: 81.5,
        unit: "kg",
        conditions: { fasting: true },
        code: "loinc:29463-7",
        effective_at: "2026-02-01T06:00:00.000Z",
        recorded_at: m.clock.now().toISOString(),
        is_current: true,
      },
    ]);
  });

  it("S4-02 a person's event says who spoke and who recorded it, and is nobody else's", async () => {
    await record("patient", entry({ speaker: "daughter", observer: "nurse-7" }));
    expect(await list("patient")).toMatchObject([{ speaker: "daughter", observer: "nurse-7" }]);
    expect(await refusalOf(m.operator().listEvents("nurse-7", {}))).toBe("not_found");
    expect(await refusalOf(m.operator().listEvents("daughter", {}))).toBe("not_found");
  });

  it("S4-22 where a person has all the records that there may be, a new one is refused, and a correction or withdrawal goes through", async () => {
    const { events: given } = await record("full", entry(), entry({ source_id: "obs-2" }));
    await m.db.query(
      `insert into muniment.event
       select more.* from muniment.event e
       cross join generate_series(1, ${LIMITS.recordsOfSubjectMax - 2}) n
       cross join lateral jsonb_populate_record(e, jsonb_build_object('event_id', gen_random_uuid(), 'source_id', gen_random_uuid(), 'n', n)) more
       where e.event_id = $1`,
      [given[0]?.event_id],
    );
    const { value: _value, ...withdrawn } = entry({ source_id: "obs-2", source_revision: 2 });
    const { events } = await record(
      "full",
      entry({ source_revision: 2, value: 80 }),
      entry({ source_id: "obs-3" }),
      { ...withdrawn, status: "withdrawn" },
    );
    expect(events).toMatchObject([
      { status: "recorded" },
      { status: "refused", refusal: { kind: "too_large", field: "source_id" } },
      { status: "recorded" },
    ]);
  });

  it("S4-22 the same revision again adds nothing, a repeated measurement of the same value does", async () => {
    await record("again", entry());
    const second = await record("again", entry(), entry({ source_id: "obs-2" }), entry());
    expect(second.events.map(({ status }) => status)).toEqual([
      "unchanged",
      "recorded",
      "unchanged",
    ]);
    expect(await list("again")).toHaveLength(2);
  });

  it("S4-17 a revision whose content changed without its number is refused, and nothing of it is kept", async () => {
    await record("conflict", entry());
    const { events, refused } = await record(
      "conflict",
      entry({ value: 99 }),
      entry({ source_id: "b" }),
      entry({ source_id: "b", observer: "nurse-8" }),
    );
    expect(refused).toBe(2);
    expect(events.map(({ refusal }) => refusal?.kind)).toEqual([
      "version_conflict",
      undefined,
      "version_conflict",
    ]);
    expect((await list("conflict")).map(({ value }) => value)).toEqual([81.5, 81.5]);
  });

  it("S4-22 an older revision that comes late is history, never the current one", async () => {
    await record("late", entry({ source_revision: 2, value: 80 }));
    await record("late", entry({ source_revision: 1, value: 82 }));
    const listed = await list("late");
    expect(listed.map(({ value, is_current }) => [value, is_current])).toEqual([
      [82, false],
      [80, true],
    ]);
  });

  it("S4-17 a withdrawal is a revision of its own, and needs no value", async () => {
    const { value: _value, ...withdrawn } = entry({ source_revision: 2, status: "withdrawn" });
    await record("withdrawal", entry());
    await record("withdrawal", withdrawn);
    expect(await list("withdrawal", { key: "weight" })).toMatchObject([
      { status: "withdrawn", value: null, is_current: true },
      { status: "active", is_current: false },
    ]);
    expect(await list("withdrawal", { key: "height" })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["a scope", { ...entry(), subject: "tom" }, "scope_in_input"],
    ["an unknown key", { ...entry(), colour: "red" }, "invalid_input"],
    ["no value", { ...entry(), value: undefined }, "invalid_input"],
    ["a list", { ...entry(), value: [1] }, "invalid_input"],
    ["a nested value", { ...entry(), value: { a: { b: 1 } } }, "invalid_input"],
    ["a source with a slash", { ...entry(), source: "ehr/x" }, "invalid_input"],
    ["a time without zone", { ...entry(), effective_at: "2026-02-01T07:00:00" }, "invalid_input"],
    ["what is planned", { ...entry(), effective_at: "2026-04-01T07:00:00Z" }, "invalid_input"],
    ["a clock that ran out", { ...entry(), expires_at: "2026-02-02T00:00:00Z" }, "invalid_input"],
    ["a password", { ...entry(), value: "password: hunter2-Zq9!x" }, "credential_in_text"],
  ])("S4-17 %s is refused by itself, and its value isn't repeated", async (_, bad, kind) => {
    const reply = await connector().recordEvents("rows", { events: [bad, entry()] });
    expect(reply.events).toMatchObject([
      { status: "refused", refusal: { kind } },
      { status: expect.stringMatching(/recorded|unchanged/) },
    ]);
    expect(JSON.stringify(reply)).not.toMatch(/"tom"|"red"|hunter2/);
  });

  it("S4-01 only a connector records events, and a batch that is refused makes nobody", async () => {
    for (const other of [m.app(), m.operator(), m.customer("fresh"), m.service("reader")])
      expect(await refusalOf(other.recordEvents("fresh", { events: [entry()] }))).toMatch(
        /denied|not_found/,
      );
    await connector().recordEvents("fresh", { events: [{}] });
    expect(await refusalOf(m.operator().listEvents("fresh", {}))).toBe("not_found");
  });

  it("S4-30 another workspace, and another tenant, see none of it", async () => {
    await record("walls", entry());
    const elsewhere = { id: "olga", kind: "human", roles: ["operator"] } as const;
    const other = await m.as({ ...elsewhere, workspace: "other" }).listEvents("walls", {});
    expect(other.events).toEqual([]);
    expect(await refusalOf(m.operator("bank-nz").listEvents("walls", {}))).toBe("not_found");
  });

  it("S4-17 pages show each event once, and a cursor is its list's alone", async () => {
    const events = Array.from({ length: 5 }, (_, index) => entry({ source_id: `p${index}` }));
    await record("pages", ...events.slice(0, 3));
    await record("pages", ...events.slice(3));
    const seen: (string | null)[] = [];
    let cursor: string | undefined;
    do {
      const at = cursor === undefined ? {} : { cursor };
      const page = await m.operator().listEvents("pages", { limit: 2, ...at });
      seen.push(...page.events.map(({ source_id }) => source_id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(["p0", "p1", "p2", "p3", "p4"]);
    const { cursor: own } = await m.operator().listEvents("pages", { limit: 2 });
    const foreign = m
      .operator()
      .listEvents("pages", { limit: 2, key: "weight", cursor: own ?? "" });
    expect(await refusalOf(foreign)).toBe("invalid_input");
  });

  it("S4-17 an event whose source's clock ran out isn't shown", async () => {
    await record("clock", entry({ expires_at: "2026-03-01T10:00:00Z" }), entry({ source_id: "b" }));
    m.clock.forward({ hours: 2 });
    expect((await list("clock")).map(({ source_id }) => source_id)).toEqual(["b"]);
  });

  it("S4-17 what a record said before doesn't come back when its newest revision's clock has run out", async () => {
    const until = new Date(m.clock.now().getTime() + 3_600_000).toISOString();
    const second = { source_revision: 2, value: 80, expires_at: until };
    await record("resurrection", entry(), entry(second), entry({ source_id: "b" }));
    m.clock.forward({ hours: 2 });
    const [before] = await sweep(m.services);
    expect(before?.events).toBeGreaterThanOrEqual(2);
    expect((await list("resurrection")).map(({ source_id }) => source_id)).toEqual(["b"]);
    const [after] = await sweep(m.services);
    expect(after?.events).toBe(0);
  });

  it("S4-17 nothing of an event stands in the open", async () => {
    await record("sealed", entry({ key: "allergy", value: "zqpenicillin", source_id: "zqrecord" }));
    const { stores } = await m.privacy().findText({ text: "zqpenicillin" });
    const named = await m.privacy().findText({ text: "zqrecord" });
    const found = [...stores, ...named.stores] as { readonly found?: number }[];
    expect(JSON.stringify(found)).not.toMatch(/"found":[1-9]/);
  });
});
