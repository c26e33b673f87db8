import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import type { Operations } from "../support/muniment.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const SECRET = "zebra-sentinel-4471";
const said = (text: string) => ({ turns: [{ role: "user", text }] });

describeEachDatabase("idempotency", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ profile: { ttl_hours: 72 } }));
  });

  async function start(subject = "jane") {
    const session = `s${sessions++}`;
    const { run_id } = await m.app().startRun(subject, session, { route_id: "chat", goal: "x" });
    return { session, run: run_id };
  }

  const keyed = (key: string) => m.app("bank-au", key);
  const texts = async (run: string) =>
    (await m.app().listTurns(run, {})).turns.map(({ text }) => text);

  const writes: readonly [
    string,
    (as: Operations, at: { run: string; session: string }) => Promise<object>,
  ][] = [
    ["put_route", (as) => as.putRoute("chat", routeBody({ profile: { ttl_hours: 72 } }))],
    [
      "start_run",
      (as, { session }) => as.startRun("jane", session, { route_id: "chat", goal: "again" }),
    ],
    ["take_turn", (as, { session }) => as.takeTurn("jane", session, said("hello"))],
    ["append_turns", (as, { run }) => as.appendTurns(run, said("hello"))],
    ["write_working", (as, { run }) => as.writeWorking(run, { failures: ["f"] })],
    ["complete_stage", (as, { run }) => as.completeStage(run, "stage", { output: 1 })],
    ["write_checkpoint", (as, { run }) => as.writeCheckpoint(run, { step: 3 })],
    [
      "project_child",
      (as, { run }) => as.projectChild(run, { route_id: "chat", goal: "c", slots: [] }),
    ],
    ["escalate_run", (as, { run }) => as.escalateRun(run, { reason: "unsure" })],
    ["fail_run", (as, { run }) => as.failRun(run, { code: "lost" })],
    ["close_run", (as, { run }) => as.closeRun(run, {})],
  ];

  it.each(writes)(
    "S5-14 %s with one key has one effect and the same reply each time",
    async (operation, write) => {
      const at = await start();
      const as =
        operation === "put_route"
          ? m.as({ id: "olga", kind: "human", roles: ["operator"] }, "k")
          : keyed(`k ${operation}`);
      const effects = async () =>
        await m.db.query(
          'select audit_id from muniment.audit where operation = $1 and memory_writes::text like \'%"ids": ["%\'',
          [operation],
        );
      const first = await write(as, at);
      const after = await effects();
      m.clock.forward({ seconds: 5 });
      expect(await write(as, at)).toEqual(first);
      expect(await write(as, at)).toEqual(first);
      expect(await effects()).toEqual(after);
    },
  );

  const unkept: readonly [string, (as: Operations, run: string) => Promise<object>][] = [
    ["read_route", (as) => as.readRoute("chat", {})],
    ["list_routes", (as) => as.listRoutes({})],
    ["read_run", (as, run) => as.readRun(run)],
    ["list_turns", (as, run) => as.listTurns(run, {})],
    ["assemble", (as, run) => as.assemble(run, {})],
    ["recall_turns", (as, run) => as.recallTurns(run, { query: "hello" })],
    ["recall_observations", (as, run) => as.recallObservations(run, { query: "hello" })],
    ["search_corpus", (as, run) => as.searchCorpus(run, { query: "fee" })],
    ["prefetch_corpus", (as, run) => as.prefetchCorpus(run, { query: "fee" })],
    ["use_tool", (as, run) => as.useTool(run, { tool: "ledger_search" })],
    ["explain_pack", (as) => as.explainPack("pack")],
    ["diagnose_pack", (as) => as.diagnosePack("pack", {})],
    ["import_turns", (as) => as.importTurns("jane", { route_id: "chat", rows: [{}] })],
    ["read_audit", (as) => as.readAudit({})],
  ];

  it.each(unkept)(
    "S5-14 %s keeps no reply, so a key is refused by name and the refusal audited",
    async (operation, call) => {
      const { run } = await start();
      const refusal = await refusedWith(call(keyed("unkept"), run));
      expect(refusal).toMatchObject({ kind: "invalid_input", field: "idempotency-key" });
      const rows = await m.db.query(
        "select refusal from muniment.audit where operation = $1 and verdict = 'deny'",
        [operation],
      );
      expect(rows).toEqual([{ refusal: "invalid_input" }]);
    },
  );

  it("S5-14 an answer with one key wakes its run once", async () => {
    const { run } = await start();
    await m.app().escalateRun(run, { reason: "unsure" });
    const olga = m.as({ id: "olga", kind: "human", roles: ["operator"] }, "answer");
    const resume = () => olga.resumeRun(run, { answer: "go on" });
    expect(await resume()).toEqual(await resume());
    expect((await m.app().readRun(run)).notes).toEqual(["go on"]);
  });

  it("S5-14 a handoff with one key carries its slots once", async () => {
    const at = await start();
    await m.app().completeStage(at.run, "a", { output: { n: 1 } });
    const { run_id } = await m
      .app()
      .startRun("jane", at.session, { route_id: "chat", goal: "next" });
    const handoff = () => keyed("handoff").handoffSlots(run_id, { from_run: at.run, slots: ["a"] });
    expect(await handoff()).toEqual(await handoff());
    expect((await m.app().readRun(run_id)).slot_versions).toEqual({ a: 1 });
  });

  it("S5-14 S1-09 a turn that is repeated after the session's run changed doesn't show the run before", async () => {
    const { session } = await start();
    const turn = () => keyed("after a switch").takeTurn("jane", session, {});
    const before = await turn();
    await m.app().startRun("jane", session, { route_id: "chat", goal: "another matter" });
    expect(await refusalOf(turn())).toBe("idempotency_mismatch");
    expect(before.goal).toBe("x");
  });

  it("S5-14 a turn that is repeated after its run ended is answered as it was, and a new one is refused", async () => {
    const { run, session } = await start();
    const turn = (key: string) => keyed(key).takeTurn("jane", session, said("hello"));
    const first = await turn("before the end");
    await m.app().closeRun(run, {});
    expect(await turn("before the end")).toEqual(first);
    expect(await refusalOf(turn("after the end"))).toBe("run_ended");
    expect(await refusalOf(keyed("before the end").takeTurn("jane", session, {}))).toBe(
      "idempotency_mismatch",
    );
    const failing = await start();
    const resume = () => keyed("resume").takeTurn("jane", failing.session, {});
    await m.app().failRun(failing.run, { code: "lost" });
    const resumed = await resume();
    await m.app().closeRun(failing.run, {});
    expect(await resume()).toEqual(resumed);
  });

  it("S5-14 S1-10 a turn that is repeated after its run's idle clock shows nothing of it any more", async () => {
    await m.operator().putRoute("brief", routeBody({ profile: { ttl_hours: 1 } }));
    await m.app().startRun("jane", "brief", { route_id: "brief", goal: SECRET });
    const turn = () => keyed("brief").takeTurn("jane", "brief", said("hello"));
    const first = await turn();
    m.clock.forward({ hours: 1, milliseconds: -1 });
    expect(await turn()).toEqual(first);
    m.clock.forward({ milliseconds: 1 });
    expect(await refusalOf(turn())).toBe("run_expired");
  });

  it("S5-14 a handoff and a child's projection are answered again though their slots are gone by now", async () => {
    const at = await start();
    await m.app().completeStage(at.run, "a", { output: { n: 1 } });
    const next = await m.app().startRun("jane", at.session, { route_id: "chat", goal: "next" });
    const handoff = () =>
      keyed("gone").handoffSlots(next.run_id, { from_run: at.run, slots: ["a"] });
    const child = () =>
      keyed("gone").projectChild(next.run_id, { route_id: "chat", goal: "c", slots: ["a"] });
    const first = [await handoff(), await child()];
    await m.db.query("delete from muniment.working where run_id in ($1, $2)", [
      at.run,
      next.run_id,
    ]);
    expect([await handoff(), await child()]).toEqual(first);
  });

  it("S5-14 the key with another request is refused, and neither changes anything nor gives the old reply away", async () => {
    const { run } = await start();
    await keyed("k1").appendTurns(run, said(`one ${SECRET}`));
    for (const body of [said("two"), { ...said(`one ${SECRET}`), expected_version: 1 }]) {
      const refusal = await refusedWith(keyed("k1").appendTurns(run, body));
      expect(refusal.kind).toBe("idempotency_mismatch");
      expect(refusal.message).not.toContain(SECRET);
    }
    expect(await texts(run)).toEqual([`one ${SECRET}`]);
    const { rows } = await m.operator().readAudit({ run, verdict: "deny" });
    expect(rows).toMatchObject([
      { refusal: "idempotency_mismatch" },
      { refusal: "idempotency_mismatch" },
    ]);
  });

  it("S5-14 the order of a body's keys doesn't make another request", async () => {
    const { run } = await start();
    const first = await keyed("order").appendTurns(run, {
      turns: [{ role: "user", text: "x", speaker: "Jane" }],
    });
    const again = await keyed("order").appendTurns(run, {
      turns: [{ speaker: "Jane", text: "x", role: "user" }],
    });
    expect(again).toEqual(first);
  });

  it("S1-09 the same key of another caller, operation, subject or tenant is another key", async () => {
    const { run, session } = await start();
    const tom = await start("tom");
    await m.operator("bank-nz").putRoute("chat", routeBody());
    const nz = await m.app("bank-nz").startRun("jane", session, { route_id: "chat", goal: "x" });
    await keyed("same").appendTurns(run, said("app"));
    const other = m.as({ id: "other app", roles: ["app"] }, "same");
    await other.appendTurns(run, said("other app"));
    await m
      .as({ id: "jane", kind: "human", subject: "jane" }, "same")
      .appendTurns(run, said("jane"));
    await keyed("same").writeCheckpoint(run, { step: 1 });
    await keyed("same").appendTurns(tom.run, said("tom"));
    await m.app("bank-nz", "same").appendTurns(nz.run_id, said("nz"));
    expect(await texts(run)).toEqual(["jane", "other app", "app"]);
    expect(await texts(tom.run)).toEqual(["tom"]);
    expect((await m.app("bank-nz").listTurns(nz.run_id, {})).turns).toHaveLength(1);
  });

  it("S5-14 ten equal requests at the same moment have one effect and ten equal replies", async () => {
    const { run } = await start();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => keyed("parallel").appendTurns(run, said("once"))),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(await texts(run)).toEqual(["once"]);
  });

  it("S5-14 ten equal first requests for a new person and chat make one run", async () => {
    const begin = () =>
      keyed("first").startRun("brand new", "first chat", { route_id: "chat", goal: "x" });
    const replies = await Promise.all(Array.from({ length: 10 }, begin));
    expect(new Set(replies.map((reply) => reply.run_id)).size).toBe(1);
    const as = (n: number) => m.as({ id: "bo", kind: "human", subject: "bo" }, `bo ${n % 1}`);
    const bound = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        as(n).startRun("bo", "b", { route_id: "chat", goal: "x" }),
      ),
    );
    expect(new Set(bound.map((reply) => reply.run_id)).size).toBe(1);
  });

  it("S5-14 a refused request leaves its key free", async () => {
    const { run } = await start();
    const stale = { ...said("hello"), expected_version: 99 };
    expect(await refusalOf(keyed("free").appendTurns(run, stale))).toBe("version_conflict");
    await keyed("free").appendTurns(run, said("hello"));
    expect(await texts(run)).toEqual(["hello"]);
  });

  it("S5-14 a repeat is decided under today's state: who may no longer do it doesn't get the old reply", async () => {
    const { run } = await start();
    await keyed("roles").appendTurns(run, said("hello"));
    expect(
      await refusalOf(
        m.as({ id: "app", roles: ["reader"] }, "roles").appendTurns(run, said("hello")),
      ),
    ).toBe("denied");
  });

  it("S5-14 a reply is kept for a day from its request, to the millisecond", async () => {
    const { run } = await start();
    const first = await keyed("day").appendTurns(run, said("hello"));
    m.clock.forward({ hours: 24, milliseconds: -1 });
    expect(await keyed("day").appendTurns(run, said("hello"))).toEqual(first);
    m.clock.forward({ milliseconds: 1 });
    expect(await keyed("day").appendTurns(run, said("hello"))).not.toEqual(first);
    expect(await texts(run)).toEqual(["hello", "hello"]);
    expect(await keyed("day").appendTurns(run, said("hello"))).not.toEqual(first);
    expect(await texts(run)).toHaveLength(2);
  });

  it("S5-03 a stored reply is sealed, and one that was moved to another key, operation or caller opens nowhere", async () => {
    const { run, session } = await start();
    const read = () =>
      keyed("sealed one").takeTurn("jane", session, { turns: [{ role: "user", text: SECRET }] });
    await m.app().completeStage(run, "stage", { output: { word: SECRET } });
    expect(JSON.stringify(await read())).toContain(SECRET);
    const raw = await m.db.query<{ all: string }>(
      "select string_agg(i::text || encode(reply_sealed, 'escape') || encode(key_mac, 'escape'), ' ') as all from muniment.idempotency i",
    );
    expect(raw[0]?.all).not.toContain(SECRET);
    expect(raw[0]?.all).not.toContain("sealed one");
    await keyed("sealed two").takeTurn("jane", session, said("another"));
    await keyed("sealed two").appendTurns(run, said("another"));
    const again = () =>
      keyed("sealed two").takeTurn("jane", session, {
        turns: [{ role: "user", text: "another" }],
      });
    await again();
    await m.db.query(`update muniment.idempotency i set reply_sealed = o.reply_sealed
      from muniment.idempotency o where o.operation = 'append_turns' and i.operation = 'take_turn'
        and o.key_mac = i.key_mac and o.principal_ref = i.principal_ref`);
    const before = m.alarms.length;
    expect(await refusalOf(again())).toBe("internal");
    expect(JSON.stringify(await read())).toContain(SECRET);
    expect(m.alarms.slice(before)).toMatchObject([{ what: "sealed_value", table: "idempotency" }]);
  });

  it.each(["", "   ", "k".repeat(3_000), "k\u0000", "\ud83d"])(
    "S5-14 the key %j is refused by name",
    async (key) => {
      const { run } = await start();
      const refusal = await refusedWith(keyed(key).appendTurns(run, said("hello")));
      expect(refusal).toMatchObject({ kind: "invalid_input", field: "idempotency-key" });
      expect(await texts(run)).toEqual([]);
    },
  );
});
