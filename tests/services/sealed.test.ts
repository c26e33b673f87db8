import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import { createEndpointEmbedder } from "../../src/models/endpoint-embedder.js";
import { embedTurns } from "../../src/services/embed-turns.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openEmbeddingEndpoint } from "../support/embedding-endpoint.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const SECRET = "zebrasentinel4471";
/** Parts by which search would find it, were they kept in clear. */
const SPELLINGS = [
  SECRET,
  SECRET.toUpperCase(),
  "zebrasent",
  "sentinel4471",
  Buffer.from(SECRET).toString("base64").slice(0, 20),
];

/** Tables that a chat alone puts rows into. */
const FILLED = ["subject", "external_id", "session", "run", "turn", "working", "pack", "route"];

describeEachDatabase("sealed", (database) => {
  let m: TestMuniment;
  let run: string;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.as({ id: SECRET, kind: "human", roles: ["operator"] }).putRoute("chat", routeBody());
    const app = m.as({ id: SECRET, roles: ["app"] }, SECRET);
    ({ run_id: run } = await app.startRun(SECRET, SECRET, { route_id: "chat", goal: SECRET }));
    const { turn_ids } = await app.appendTurns(run, {
      turns: [
        { role: "user", text: `My word is ${SECRET}`, speaker: SECRET, source_id: SECRET },
        { role: "tool_call", text: SECRET, tool: SECRET, call_id: SECRET },
        { role: "tool_result", text: SECRET, tool: SECRET, call_id: SECRET },
      ],
    });
    await app.writeWorking(run, {
      contract: { [SECRET]: SECRET },
      criteria: [{ criterion_id: SECRET, version: 1 }],
      artifact: SECRET,
      failures: [SECRET],
      questions: [SECRET],
      scratch: [{ ref: SECRET, label: SECRET }],
    });
    await app.completeStage(run, "stage", { output: { [SECRET]: SECRET }, notes: [SECRET] });
    await app.writeCheckpoint(run, {
      step: 2,
      result: SECRET,
      proposals: SECRET,
      observations: SECRET,
    });
    // These keep no reply, so they take no key.
    const unkeyed = m.as({ id: SECRET, roles: ["app"] });
    await unkeyed.assemble(run, { recall: { query: SECRET } });
    await unkeyed.recallTurns(run, { query: SECRET });
    const rows = [
      {
        session: SECRET,
        source_id: `2 ${SECRET}`,
        text: SECRET,
        speaker: SECRET,
        observed_at: "2020-01-01T00:00:00Z",
      },
    ];
    await unkeyed.importTurns(SECRET, { route_id: "chat", rows });
    const many = Array.from({ length: LIMITS.segmentTurnsMax }, (_, n) => ({
      ...rows[0],
      source_id: `${n} of ${SECRET}`,
    }));
    await unkeyed.importTurns(SECRET, { route_id: "chat", rows: many });
    await sealSegments(m.services);
    const { url } = await openEmbeddingEndpoint();
    const embedder = createEndpointEmbedder({ url, model: "small" });
    await embedTurns({ ...m.services, embedder });
    await m
      .customer(SECRET, SECRET)
      .takeTurn(SECRET, SECRET, { turns: [{ role: "user", text: SECRET }] });
    const questions = {
      open_questions: [{ text: `My word is ${SECRET}`, turn_ids: [turn_ids[0]] }],
    };
    await app.appendEpisode(run, questions as never);
    const other = await unkeyed.startRun(SECRET, `${SECRET} 2`, { route_id: "chat", goal: SECRET });
    await unkeyed.appendTurns(other.run_id, { turns: [{ role: "user", text: `${SECRET}?` }] });
    await unkeyed.closeSession(SECRET, `${SECRET} 2`, {});
    await m.jobs.run();
    const secret = { artifacts: [SECRET], tickets: [SECRET], prompts: [SECRET] };
    const tools = [{ tool: "book", side_effect: "write", receipt: { id: SECRET } }] as const;
    const last = await unkeyed.startRun(SECRET, `${SECRET} 3`, { route_id: "chat", goal: SECRET });
    await unkeyed.closeRun(last.run_id, { trace: { ...secret, tools } });
    await refusalOf(m.app("bank-nz").readRun(SECRET));
  });

  async function columns() {
    return await m.db.query<{ table_name: string; column_name: string; data_type: string }>(
      `select table_name, column_name, data_type from information_schema.columns
       where table_schema = 'muniment' order by table_name, ordinal_position`,
    );
  }

  it("S5-02 no column of any table holds a text, an external id, a search term or an author in clear", async () => {
    const all = await columns();
    expect(all.length).toBeGreaterThan(100);
    const found: string[] = [];
    for (const { table_name, column_name, data_type } of all) {
      const bytes = data_type === "bytea";
      const read = bytes ? `encode(${column_name}, 'hex')` : `${column_name}::text`;
      const values = await m.db.query<{ value: string | null }>(
        `select ${read} as value from muniment.${table_name}`,
      );
      for (const { value } of values) {
        const text = bytes ? Buffer.from(value ?? "", "hex").toString("latin1") : (value ?? "");
        if (SPELLINGS.some((spelling) => text.includes(spelling)))
          found.push(`${table_name}.${column_name}`);
      }
    }
    expect(found).toEqual([]);
  });

  it("S5-02 the search above does find what stands in clear", async () => {
    const [row] = await m.db.query<{ all: string }>(
      "select string_agg(r::text, ' ') as all from muniment.route r",
    );
    expect(row?.all).toContain("retrieve_only");
  });

  it("S1-09 as the application's role, every table read without a condition shows the scope's own rows alone", async () => {
    await m.operator("bank-nz").putRoute("chat", routeBody());
    const tom = await m.app("bank-nz").startRun("tom", "t", { route_id: "chat", goal: "x" });
    await m
      .app("bank-nz")
      .appendTurns(tom.run_id, { turns: [{ role: "user", text: "x", speaker: "t" }] });
    const ann = await m.app().startRun("ann", "a", { route_id: "chat", goal: "x" });
    await m.app().appendTurns(ann.run_id, { turns: [{ role: "user", text: "x" }] });
    const [owner] = await m.db.query<{ tenant_id: string; subject_id: string }>(
      "select tenant_id, subject_id from muniment.run where run_id = $1",
      [run],
    );
    const tables = new Map<string, boolean>();
    for (const { table_name, column_name } of await columns()) {
      if (column_name === "tenant_id" && table_name !== "tenant") tables.set(table_name, false);
    }
    for (const { table_name, column_name } of await columns()) {
      if (column_name === "subject_id" && tables.has(table_name)) tables.set(table_name, true);
    }
    expect(tables.size).toBeGreaterThan(9);
    for (const [table, personal] of tables) {
      await m.db.query("begin");
      await m.db.query("select muniment.set_scope($1::uuid, $2::uuid, 'subject')", [
        owner?.tenant_id,
        owner?.subject_id,
      ]);
      const rows = await m.db.query<{ tenant_id: string; subject_id?: string }>(
        `select * from muniment.${table}`,
      );
      await m.db.query("rollback");
      const foreign = rows.filter(
        (row) =>
          row.tenant_id !== owner?.tenant_id || (personal && row.subject_id !== owner?.subject_id),
      );
      expect([table, foreign.length]).toEqual([table, 0]);
      // Every other table is filled and walked in tests/storage/wall.test.ts.
      if (FILLED.includes(table)) expect([table, rows.length > 0]).toEqual([table, true]);
    }
  });

  /** Two runs of two people in one tenant, and one of another tenant, each with one of everything. */
  async function three() {
    const make = async (tenant: string, subject: string) => {
      const app = m.app(tenant);
      const { run_id } = await app.startRun(subject, "s", {
        route_id: "chat",
        goal: `${subject}'s goal`,
      });
      await app.appendTurns(run_id, {
        turns: [{ role: "user", text: `${subject}'s walrus`, speaker: subject }],
      });
      await app.completeStage(run_id, "stage", { output: `${subject}'s slot` });
      const [row] = await m.db.query<{ tenant_id: string; subject_id: string; session_id: string }>(
        "select tenant_id, subject_id, session_id from muniment.run where run_id = $1",
        [run_id],
      );
      return {
        app,
        run: run_id,
        subject: row?.subject_id ?? "",
        session: row?.session_id ?? "",
        tenant: row?.tenant_id ?? "",
      };
    };
    const n = crypto.randomUUID().slice(0, 8);
    return {
      a: await make("bank-au", `ann-${n}`),
      b: await make("bank-au", `bob-${n}`),
      c: await make("bank-nz", `cy-${n}`),
      n,
    };
  }

  /** Puts the sealed bytes of one row into another's column. */
  async function move(table: string, column: string, from: string, to: string, extra = "true") {
    const text = `update muniment.${table} set ${column} =
      (select ${column} from muniment.${table} where run_id = $1 and ${extra} limit 1) where run_id = $2 and ${extra}`;
    await m.db.query(text, [from, to]);
  }

  async function alarmsOf(call: () => Promise<unknown>): Promise<readonly string[]> {
    const before = m.alarms.length;
    await call().catch(() => undefined);
    return m.alarms.slice(before).map((alarm) => `${alarm.what} ${alarm.table}`);
  }

  it.each(["b", "c"] as const)(
    "S5-03 sealed bytes that were moved to another %s open nowhere and raise an alarm",
    async (to) => {
      const made = await three();
      const from = made.a;
      const target = made[to];
      await move("turn", "content_sealed", from.run, target.run);
      await move("working", "value_sealed", from.run, target.run, "class = 'slot'");
      await move("checkpoint", "value_sealed", from.run, target.run);
      expect(await alarmsOf(() => target.app.listTurns(target.run, {}))).toEqual([
        "sealed_value turn",
      ]);
      expect((await target.app.listTurns(target.run, {})).turns).toEqual([]);
      const read = await alarmsOf(() => target.app.readRun(target.run));
      expect(read.toSorted()).toEqual(["sealed_value checkpoint", "sealed_value working"]);
      expect(await target.app.readRun(target.run)).toMatchObject({ slots: {}, checkpoint: null });
      const pack = await target.app.assemble(target.run, { recall: { query: "walrus" } });
      expect(pack.text).not.toContain(`ann-${made.n}`);
      await move("run", "goal_sealed", from.run, target.run);
      expect(await alarmsOf(() => target.app.readRun(target.run))).toContain("sealed_value run");
      expect(await refusalOf(target.app.assemble(target.run, {}))).toBe("internal");
      expect(
        await refusalOf(target.app.takeTurn(`${to === "b" ? "bob" : "cy"}-${made.n}`, "s", {})),
      ).toBe("internal");
    },
  );

  it("S5-03 terms that were moved to another person's turn are not searched by and raise an alarm", async () => {
    const { a, b } = await three();
    await move("turn", "terms_sealed", a.run, b.run);
    expect(await alarmsOf(() => b.app.recallTurns(b.run, { query: "ann" }))).toEqual([
      "sealed_value turn",
    ]);
    expect(await b.app.recallTurns(b.run, { query: "walrus" })).toMatchObject({ hits: [] });
  });

  it("S5-03 within one person, bytes of another session, run, class, column or version don't open", async () => {
    const { a, n } = await three();
    const next = await a.app.startRun(`ann-${n}`, "s2", { route_id: "chat", goal: "second" });
    await a.app.appendTurns(next.run_id, { turns: [{ role: "user", text: "own" }] });
    await a.app.completeStage(next.run_id, "stage", { output: "own" });
    const { app } = a;
    await move("turn", "content_sealed", a.run, next.run_id);
    expect(await alarmsOf(() => app.listTurns(next.run_id, {}))).toEqual(["sealed_value turn"]);
    await m.db.query("update muniment.turn set content_sealed = terms_sealed where run_id = $1", [
      a.run,
    ]);
    expect(await alarmsOf(() => app.listTurns(a.run, {}))).toEqual(["sealed_value turn"]);
    await move("working", "value_sealed", a.run, next.run_id, "class = 'slot'");
    expect(await alarmsOf(() => app.readRun(next.run_id))).toEqual(["sealed_value working"]);
    await m.db.query("update muniment.working set version = 2 where run_id = $1", [a.run]);
    expect(await alarmsOf(() => app.readRun(a.run))).toEqual(["sealed_value working"]);
    await m.db.query("update muniment.working set version = 1, class = 'note' where run_id = $1", [
      a.run,
    ]);
    expect(await alarmsOf(() => app.readRun(a.run))).toEqual(["sealed_value working"]);
    await move("checkpoint", "value_sealed", a.run, next.run_id);
    expect(await alarmsOf(() => app.readRun(next.run_id))).toContain("sealed_value checkpoint");
    await move("run", "goal_sealed", a.run, next.run_id);
    expect(await refusalOf(app.readRun(next.run_id))).toBe("internal");
  });

  const turned: readonly [string, string][] = [
    ["another route", "update muniment.turn set route_id = 'chat' where run_id = $1"],
    ["another role", "update muniment.turn set role = 'system' where run_id = $1"],
    ["a later end", "update muniment.turn set evidence_until = '9999-01-01' where run_id = $1"],
  ];

  it.each(turned)(
    "S5-03 a turn that was given %s isn't shown and raises an alarm",
    async (_what, change) => {
      const n = crypto.randomUUID().slice(0, 8);
      await m.operator().putRoute("apart", routeBody());
      const app = m.app();
      const apart = await app.startRun(`dee-${n}`, "s1", { route_id: "apart", goal: "x" });
      await app.appendTurns(apart.run_id, { turns: [{ role: "user", text: "walrus" }] });
      await m.db.query(change, [apart.run_id]);
      expect(await alarmsOf(() => app.listTurns(apart.run_id, {}))).toEqual(["sealed_value turn"]);
      const chat = await app.startRun(`dee-${n}`, "s2", { route_id: "chat", goal: "x" });
      expect(await app.recallTurns(chat.run_id, { query: "walrus" })).toMatchObject({ hits: [] });
    },
  );

  const repinned: readonly [string, string][] = [
    [
      "a wider profile",
      `update muniment.run set profile = jsonb_set(profile, '{long_term}', '"retrieve_only"') where run_id = $1`,
    ],
    [
      "other routes' memory",
      `update muniment.route set definition = jsonb_set(definition, '{recall_from}', '["chat"]')
       where (route_id, version) = (select route_id, route_version from muniment.run where run_id = $1)`,
    ],
    [
      "another chat of the same person",
      `update muniment.run r set session_id = (select s.session_id from muniment.session s
         where s.tenant_id = r.tenant_id and s.subject_id = r.subject_id and s.session_id <> r.session_id)
       where run_id = $1`,
    ],
  ];

  it.each(repinned)(
    "S1-03 S5-03 a run that was given %s is gone and raises an alarm",
    async (_what, change) => {
      const n = crypto.randomUUID().slice(0, 8);
      const narrow = { profile: { long_term: "none" } };
      await m.operator().putRoute(`narrow_${n}`, routeBody(narrow));
      const app = m.app();
      await app.startRun(`eve-${n}`, "other", { route_id: "chat", goal: "x" });
      const { run_id } = await app.startRun(`eve-${n}`, "s", {
        route_id: `narrow_${n}`,
        goal: "x",
      });
      m.services.caches.pins.clear();
      await app.readRun(run_id);
      await m.db.query(change, [run_id]);
      m.services.caches.pins.clear();
      expect(await alarmsOf(() => refusalOf(app.readRun(run_id)))).toEqual(["sealed_value run"]);
      expect(await refusalOf(app.recallTurns(run_id, { query: "x" }))).toBe("not_found");
    },
  );

  it("S5-03 a mapping that was turned to another person or chat leads nowhere and raises an alarm", async () => {
    const { a, b, n } = await three();
    // Another process would know nothing of them yet.
    m.services.caches.subjects.clear();
    m.services.caches.sessions.clear();
    const begin = () => a.app.startRun(`eve-${n}`, "s", { route_id: "chat", goal: "x" });
    const eve = await begin();
    await m.db.query(
      "update muniment.external_id set subject_id = $1, internal_id = gen_random_uuid() where kind = 'subject' and subject_id = $1",
      [a.subject],
    );
    await m.db.query(
      "delete from muniment.external_id where kind = 'subject' and subject_id = $1",
      [b.subject],
    );
    await m.db.query(
      `update muniment.external_id set subject_id = $1, internal_id = $1
       where kind = 'subject' and subject_id = (select subject_id from muniment.run where run_id = $2)`,
      [b.subject, eve.run_id],
    );
    m.services.caches.subjects.clear();
    const asEve = () => m.customer(`eve-${n}`).listTurns(b.run, {});
    expect(await alarmsOf(asEve)).toContain("sealed_value external_id");
    expect(await refusalOf(asEve())).toBe("not_found");
  });

  it("S5-03 a chat's mapping that was turned to another chat of the same person leads nowhere", async () => {
    const { a, n } = await three();
    const other = await a.app.startRun(`ann-${n}`, "other", { route_id: "chat", goal: "x" });
    const [row] = await m.db.query<{ session_id: string }>(
      "select session_id from muniment.run where run_id = $1",
      [other.run_id],
    );
    await m.db.query("delete from muniment.external_id where internal_id = $1", [row?.session_id]);
    await m.db.query("update muniment.external_id set internal_id = $1 where internal_id = $2", [
      row?.session_id,
      a.session,
    ]);
    m.services.caches.sessions.clear();
    expect(await alarmsOf(() => a.app.takeTurn(`ann-${n}`, "s", {}))).toEqual([
      "sealed_value external_id",
    ]);
    expect(await refusalOf(a.app.takeTurn(`ann-${n}`, "s", {}))).toBe("not_found");
  });

  it("S5-03 a speaker's name that was moved to another speaker isn't shown", async () => {
    const { a, n } = await three();
    await a.app.appendTurns(a.run, { turns: [{ role: "user", text: "mine", speaker: "Zoe" }] });
    await m.db.query(
      `update muniment.external_id e set sealed = (select o.sealed from muniment.external_id o
         where o.kind = 'speaker' and o.subject_id = e.subject_id and o.internal_id <> e.internal_id limit 1)
       where e.kind = 'speaker' and e.subject_id = $1`,
      [a.subject],
    );
    expect(await alarmsOf(() => a.app.listTurns(a.run, {}))).toContain(
      "sealed_value turn".replace("turn", "external_id"),
    );
    expect(JSON.stringify(await a.app.listTurns(a.run, {}))).not.toContain(`ann-${n}`);
  });
});
