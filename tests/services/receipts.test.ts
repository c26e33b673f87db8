import { beforeAll, expect, it } from "vitest";
import type { NarrowScope } from "../../src/domain/erasure.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("receipts of erasures", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const stages = [{ stage_id: "plan", tools: [] }];
    const change = { stages, store_fields: ["pref_word"], tools: ["recall_turns"] };
    await m.operator().putField("pref_word", fieldBody());
    await m.operator().putRoute("chat", routeBody(change));
  });

  /** Somebody of whom every table has a row, most of them made of one turn. */
  async function person() {
    const subject = `person-${names++}`;
    const start = async (session: string) =>
      (await m.app().startRun(subject, session, { route_id: "chat", goal: "talk" })).run_id;
    const old = await start("old");
    const texts = ["I am allergic to quokka hair.", "Will the fee be refunded?"];
    const said = await m.app().appendTurns(old, {
      turns: texts.map((text, place) => ({ role: "user", text, source_id: `mail-${place}` })),
    });
    await m.app().closeSession(subject, "old", {});
    await m.jobs.run();
    await m.service("connector").recordEvents(subject, {
      events: [
        {
          source: "ehr",
          source_id: "a",
          source_revision: 1,
          kind: "report",
          key: "allergy",
          value: "quokka",
          effective_at: "2026-02-01T07:00:00Z",
          observer: "nurse",
        },
      ],
    });
    m.clock.forward({ hours: 1 });
    await m.reviewer().setPreference(subject, "pref_word", { value: "quokka" });
    const again = m.app("bank-au", `key-${names++}`);
    const started = await again.startRun(subject, "new", { route_id: "chat", goal: "talk" });
    const run = started.run_id;
    await m.app().assemble(run, { recall: { query: "quokka hair" } });
    await m.app().completeStage(run, "plan", { output: { about: "quokka" }, notes: ["quokka"] });
    await m.app().writeCheckpoint(run, { step: 1, result: { about: "quokka" } });
    await m.app().closeRun(run, {});
    await m.app().escalateRun(await start("new"), { reason: "quokka" });
    const [turn = ""] = said.turn_ids;
    const [row] = await m.db.query<{ subject_id: string; episode_id: string }>(
      "select subject_id, episode_id from muniment.episode where run_id = $1",
      [old],
    );
    const { subject_id: id = "", episode_id: episode = "" } = row ?? {};
    // What an embedder and the background would have made.
    await m.db.query(
      `insert into muniment.vector (tenant_id, subject_id, turn_id, model, revision, recorded_at, sealed)
       select tenant_id, subject_id, turn_id, 'm', revision, recorded_at, ''::bytea from muniment.turn where subject_id = $1`,
      [id],
    );
    await m.db.query(
      `insert into muniment.segment
        (tenant_id, subject_id, segment_id, analyser, after_revision, upto_revision, purge_revision, turns, evidence_until, recorded_at, sealed)
       select tenant_id, subject_id, turn_id, 0, 0, 1, 0, 1, evidence_until, recorded_at, ''::bytea from muniment.turn where turn_id = $1`,
      [turn],
    );
    return { subject, id, turn, run, episode };
  }

  /** Rows of a person in each table, by the columns of its key. */
  const rowsOf = async (id: string) => {
    const tables = new Map<string, ReadonlySet<string>>();
    for (const table of SUBJECT_TABLES) {
      const rows = await m.db.query<{ key: string }>(
        `select (select string_agg(to_jsonb(t) ->> a.attname, '/' order by a.attname)
            from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
            where i.indrelid = 'muniment.${table}'::regclass and i.indisprimary) as key
          from muniment.${table} t where t.subject_id = $1`,
        [id],
      );
      tables.set(table, new Set(rows.map(({ key }) => key)));
    }
    return tables;
  };

  const went = (
    before: ReadonlyMap<string, ReadonlySet<string>>,
    after: ReadonlyMap<string, ReadonlySet<string>>,
  ) =>
    Object.fromEntries(
      [...before].flatMap(([table, rows]) => {
        const count = [...rows].filter((key) => after.get(table)?.has(key) !== true).length;
        return count === 0 ? [] : [[table, count]];
      }),
    );

  const removedIn = (stores: readonly { name: string; rows_removed: number }[]) =>
    Object.fromEntries(
      stores
        .filter(({ rows_removed }) => rows_removed > 0)
        .map(({ name, rows_removed }) => [name, rows_removed]),
    );

  const WHOLE = ["idempotency", "segment", "view"];
  const WRITTEN = ["checkpoint", "escalation", "trace", "working"];
  const OF_TURN = ["episode", "external_id", "observation", "turn", "vector", ...WRITTEN, ...WHOLE];

  type Person = Awaited<ReturnType<typeof person>>;
  const KINDS: readonly (readonly [
    NarrowScope,
    string,
    (of: Person) => object,
    readonly string[],
  ])[] = [
    ["turn", "erase", ({ turn }) => ({ target: turn }), OF_TURN],
    ["source", "erase", () => ({ target: "mail-0" }), OF_TURN],
    [
      "turn",
      "correct",
      ({ turn }) => ({ target: turn, text: "No." }),
      OF_TURN.filter((table) => table !== "turn" && table !== "external_id"),
    ],
    ["source", "erase", () => ({ target: "ehr/a" }), ["event", "external_id", ...WHOLE]],
    ["episode", "erase", ({ episode }) => ({ target: episode }), ["episode", ...WHOLE]],
    [
      "field",
      "erase",
      () => ({ target: "pref_word" }),
      ["candidate", "field_value", ...WRITTEN, ...WHOLE],
    ],
    ["run", "erase", ({ run }) => ({ target: run }), ["pack", "run", ...WRITTEN, ...WHOLE]],
    ["session", "erase", () => ({ target: "old" }), ["run", "session", "work", ...OF_TURN]],
  ];

  it.each(KINDS)(
    "S5-08 the receipt of a %s (%s) names every store whose rows went, with as many as went, and finds none",
    async (scope, reason, target, stores) => {
      const of = await person();
      const before = await rowsOf(of.id);
      const receipt = await m
        .privacy()
        .eraseScope(of.subject, scope, { reason, ...target(of) } as never);
      const gone = went(before, await rowsOf(of.id));
      expect(removedIn(receipt.stores)).toEqual(gone);
      expect(Object.keys(gone).toSorted()).toEqual(stores.toSorted());
      expect(receipt.stores.filter(({ found }) => found > 0)).toEqual([]);
    },
  );

  it("S5-08 the receipt of a whole person has as many as went", async () => {
    const of = await person();
    const before = await rowsOf(of.id);
    const { stores } = await m.privacy().eraseSubject(of.subject, {});
    const { "custody.keys": keys, ...removed } = removedIn(stores);
    expect(keys).toBe(1);
    expect(removed).toEqual(went(before, await rowsOf(of.id)));
    expect(Object.keys(removed).toSorted()).toEqual([...SUBJECT_TABLES].toSorted());
  });

  it("S5-08 S1-26 cut short behind its transaction, an erasure's receipt has the same counts at the next start, or asked again", async () => {
    const cutShort = (id: string) =>
      m.db.query(
        "update muniment.erasure set state = 'blocked', closed_at = null, receipt = null where erasure_id = $1",
        [id],
      );
    const of = await person();
    const ask = () => m.privacy().eraseScope(of.subject, "turn", { target: of.turn });
    const { stores, erasure_id: id } = await ask();
    m.clock.forward({ hours: 1 });
    await cutShort(id);
    expect((await ask()).stores).toEqual(stores);
    await cutShort(id);
    await replayLedger(m.services);
    expect((await m.privacy().readErasure(id)).receipt?.stores).toEqual(stores);
  });

  it("S5-08 what was derived of it, and is there again, is found by the search, and keeps the erasure open", async () => {
    const of = await person();
    m.clock.forward({ hours: 1 });
    const kept = ["working", "observation", "segment"];
    for (const table of kept)
      await m.db.query(
        `create table muniment.put_back_${table} as select * from muniment.${table} where subject_id = '${of.id}'`,
      );
    const { erasure_id: id } = await m
      .privacy()
      .eraseScope(of.subject, "source", { target: "mail-0" });
    for (const table of kept) {
      await m.db.query(
        `insert into muniment.${table} select * from muniment.put_back_${table} on conflict do nothing`,
      );
      await m.db.query(`drop table muniment.put_back_${table}`);
    }
    const { ok, stores } = await m.privacy().verifyErasure(id, {});
    expect(ok).toBe(false);
    const found = stores.filter((store) => store.found > 0).map(({ name }) => name);
    expect(found.toSorted()).toEqual(kept.toSorted());
  });
});
