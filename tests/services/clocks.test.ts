import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const TTL_HOURS = 8;
const said = (text: string) => ({ turns: [{ role: "user", text }] });

describeEachDatabase("clocks", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ profile: { ttl_hours: TTL_HOURS } }));
  });

  async function start(session = `s${sessions++}`) {
    const { run_id } = await m.app().startRun("jane", session, { route_id: "chat", goal: "Talk" });
    return { session, run: run_id };
  }

  const texts = async (run: string) =>
    (await m.app().listTurns(run, {})).turns.map(({ text }) => text).reverse();

  it("S1-10 conversation, working and loop are unreadable from the millisecond in which their idle lifetime ends", async () => {
    const { run, session } = await start();
    await m.app().appendTurns(run, said("one"));
    await m.app().completeStage(run, "first", { output: 1, notes: ["n"] });
    m.clock.forward({ hours: TTL_HOURS, milliseconds: -1 });
    expect(await texts(run)).toEqual(["one"]);
    expect((await m.app().readRun(run)).slots).toEqual({ first: 1 });
    m.clock.forward({ milliseconds: 1 });
    expect(await texts(run)).toEqual([]);
    expect(await m.app().readRun(run)).toMatchObject({
      slots: {},
      notes: [],
      checkpoint: null,
      goal: null,
    });
    const writes = [
      m.app().appendTurns(run, said("late")),
      m.app().assemble(run, {}),
      m.app().takeTurn("jane", session, {}),
      m.app().completeStage(run, "second", { output: 2 }),
      m.app().writeCheckpoint(run, { step: 9 }),
    ];
    expect(await Promise.all(writes.map(refusalOf))).toEqual(writes.map(() => "run_expired"));
  });

  it("S1-10 a session that expired starts a new epoch: nothing of the old one comes back with the next turn", async () => {
    const { run, session } = await start();
    await m.app().appendTurns(run, said("old"));
    m.clock.forward({ hours: TTL_HOURS });
    const next = await start(session);
    expect(await texts(next.run)).toEqual([]);
    await m.app().appendTurns(next.run, said("new"));
    expect(await texts(next.run)).toEqual(["new"]);
    expect(JSON.stringify(await m.app().assemble(next.run, {}))).not.toContain("old");
  });

  it("S1-10 each append moves the idle clock; a read doesn't", async () => {
    const { run } = await start();
    await m.app().appendTurns(run, said("one"));
    m.clock.forward({ hours: TTL_HOURS - 1 });
    await m.app().appendTurns(run, said("two"));
    m.clock.forward({ hours: TTL_HOURS - 1 });
    expect(await texts(run)).toEqual(["one", "two"]);
    m.clock.forward({ hours: 1 });
    expect(await texts(run)).toEqual([]);
  });

  it("S4-29 an expired conversation still is evidence for recall, by its own clock", async () => {
    const { run } = await start();
    await m.app().appendTurns(run, said("the walrus sings"));
    m.clock.forward({ hours: TTL_HOURS });
    const later = await start();
    expect((await m.app().recallTurns(later.run, { query: "walrus" })).hits).toHaveLength(1);
    m.clock.forward({ hours: 24 * 365 });
    const muchLater = await start();
    expect((await m.app().recallTurns(muchLater.run, { query: "walrus" })).hits).toEqual([]);
  });

  it("S2-02 scratch refs live a day, also where the run lives longer", async () => {
    await m.operator().putRoute("long", routeBody({ profile: { ttl_hours: 48 } }));
    const { run_id } = await m
      .app()
      .startRun("jane", "scratch", { route_id: "long", goal: "Keep" });
    await m
      .app()
      .writeWorking(run_id, { scratch: [{ ref: "s3://scratch/1" }], artifact: "s3://artifact" });
    m.clock.forward({ hours: 24, milliseconds: -1 });
    expect((await m.app().readRun(run_id)).working.map((item) => item.class)).toEqual([
      "artifact",
      "scratch",
    ]);
    m.clock.forward({ milliseconds: 1 });
    expect((await m.app().readRun(run_id)).working.map((item) => item.class)).toEqual(["artifact"]);
  });

  it("S1-10 a sweep removes what no clock shows any more, and nothing that one still shows", async () => {
    const expired = await start();
    await m.app().appendTurns(expired.run, {
      turns: [
        { role: "tool_call", text: "{}", tool: "look", call_id: "1" },
        { role: "user", text: "kept as evidence" },
      ],
    });
    await m.app().completeStage(expired.run, "first", { output: 1 });
    m.clock.forward({ hours: TTL_HOURS, milliseconds: LIMITS.sweepGraceMs });
    const live = await start();
    await m.app().appendTurns(live.run, said("live"));
    await m.app().completeStage(live.run, "first", { output: 2, notes: ["n"] });
    const [report] = await sweep(m.services);
    expect(report).toMatchObject({ tenant: "bank-au" });
    const rows = async (table: string, run: string) =>
      (await m.db.query(`select run_id from muniment.${table} where run_id = $1`, [run])).length;
    expect([
      await rows("working", expired.run),
      await rows("checkpoint", expired.run),
      await rows("turn", expired.run),
    ]).toEqual([0, 0, 1]);
    expect([
      await rows("working", live.run),
      await rows("checkpoint", live.run),
      await rows("turn", live.run),
    ]).toEqual([2, 1, 1]);
    expect((await m.app().readRun(live.run)).slots).toEqual({ first: 2 });
    expect((await m.app().readRun(expired.run)).goal).toBe(null);
    expect(
      await m.db.query("select memory_writes from muniment.audit where operation = 'sweep'"),
    ).toHaveLength(1);
    expect((await sweep(m.services))[0]).toMatchObject({
      working: 0,
      checkpoints: 0,
      turns: 0,
      goals: 0,
    });
  });

  it("S1-10 whatever the order of waits and appends, a session shows exactly the turns since it last was idle too long", async () => {
    const step = fc.oneof(
      fc.record({ wait: fc.integer({ min: 1, max: 12 }) }),
      fc.constant("say" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { session, run: first } = await start();
        let run = first;
        let shown: string[] = [];
        let idle = 0;
        for (const [index, what] of steps.entries()) {
          if (what !== "say") {
            idle += what.wait;
            m.clock.forward({ hours: what.wait });
            continue;
          }
          if (idle >= TTL_HOURS) shown = [];
          if (idle >= TTL_HOURS) ({ run } = await start(session));
          await m.app().appendTurns(run, said(`t${index}`));
          shown.push(`t${index}`);
          idle = 0;
        }
        if (idle >= TTL_HOURS) ({ run } = await start(session));
        expect(await texts(run)).toEqual(idle >= TTL_HOURS ? [] : shown);
      }),
      { numRuns: 15 },
    );
  });
});
