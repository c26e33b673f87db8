import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, type TestMuniment } from "../support/muniment.js";
import { putStagedRoutes } from "../support/staged-routes.js";

describeEachDatabase("slots", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await putStagedRoutes(m.operator());
  });

  async function start(route_id = "fee_explain") {
    sessions += 1;
    const session = `s${sessions}`;
    const { run_id } = await m
      .app()
      .startRun("jane", session, { route_id, goal: "Explain the fee" });
    return { session, run: run_id };
  }

  it("S1-12 slots cross a route switch only by a handoff that names them, and it is audited", async () => {
    const { run, session } = await start();
    await m.app().completeStage(run, "lookup", { output: { amount: 42 }, notes: ["private note"] });
    await m.app().completeStage(run, "explain", { output: { text: "foreign ATM" } });
    const next = await m
      .app()
      .startRun("jane", session, { route_id: "payment", goal: "Pay the bill" });
    await m.app().handoffSlots(next.run_id, { from_run: run, slots: ["lookup"] });
    const got = await m.app().readRun(next.run_id);
    expect(got.slots).toEqual({ lookup: { amount: 42 } });
    expect(got.notes).toEqual([]);
    const { rows } = await m.operator().readAudit({ run: run, limit: 5 });
    expect(JSON.stringify(rows)).not.toContain("private note");
    const handoffs = await m.db.query(
      "select memory_reads from muniment.audit where operation = 'handoff_slots' and verdict = 'allow'",
    );
    expect(JSON.stringify(handoffs)).toContain("/lookup");
    expect(
      await refusalOf(m.app().handoffSlots(next.run_id, { from_run: run, slots: ["nothing"] })),
    ).toBe("invalid_input");
  });

  it("S1-12 a handoff from another session or another subject is refused", async () => {
    const a = await start();
    await m.app().completeStage(a.run, "lookup", { output: { amount: 42 } });
    const b = await start("payment");
    expect(
      await refusalOf(m.app().handoffSlots(b.run, { from_run: a.run, slots: ["lookup"] })),
    ).toBe("not_found");
    const tom = await m.app().startRun("tom", a.session, { route_id: "payment", goal: "Mine" });
    expect(
      await refusalOf(m.app().handoffSlots(tom.run_id, { from_run: a.run, slots: ["lookup"] })),
    ).toBe("not_found");
  });

  it("S3-11 a child agent gets the named slots and nothing else of its parent", async () => {
    const { run, session } = await start();
    await m.app().completeStage(run, "lookup", { output: { amount: 42 }, notes: ["private note"] });
    await m.app().completeStage(run, "explain", { output: { text: "foreign ATM" } });
    const child = await m
      .app()
      .projectChild(run, { route_id: "payment", goal: "Only the amount", slots: ["lookup"] });
    expect(await m.app().readRun(child.run_id)).toMatchObject({
      slots: { lookup: { amount: 42 } },
      notes: [],
      goal: "Only the amount",
    });
    expect((await m.app().takeTurn("jane", session, { resume: false })).run_id).toBe(run);
  });

  it("S3-05 S3-06 slots keep structured values; notes only ever grow", async () => {
    const { run } = await start();
    const output = { list: [1, { deep: [null, true, "ü"] }], n: 1.5 };
    await m.app().completeStage(run, "lookup", { output, notes: ["one"] });
    await m.app().completeStage(run, "explain", { output: null, notes: ["two", "three"] });
    expect(await m.app().readRun(run)).toMatchObject({
      slots: { lookup: output, explain: null },
      notes: ["one", "two", "three"],
    });
  });

  it("S3-05 a slot is replaced only by who saw its version", async () => {
    const { run } = await start();
    await m.app().completeStage(run, "lookup", { output: 1 });
    const writes = await Promise.allSettled(
      [2, 3].map((output) => m.app().completeStage(run, "lookup", { output, slot_version: 1 })),
    );
    expect(writes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await m.app().readRun(run)).slot_versions).toEqual({ lookup: 2 });
  });

  it("S3-03 a stage that is completed again changes its slot, not where the run goes on", async () => {
    const { run } = await start();
    await m.app().completeStage(run, "lookup", { output: 1 });
    await m.app().completeStage(run, "explain", { output: 2 });
    await m.app().completeStage(run, "lookup", { output: 3, slot_version: 1 });
    const view = await m.app().readRun(run);
    expect(view).toMatchObject({ resume_index: 2, slots: { lookup: 3, explain: 2 } });
    expect(view.checkpoint).toMatchObject({ step: 3, resume_index: 2 });
  });

  it("S3-08 prefetched corpus passages stand in slots.prefetch, and no recall finds them", async () => {
    const { run } = await start("no_loop");
    const passages = [{ corpus: "fees", text: "the pangolin clause waives the first fee" }];
    await m.app().completeStage(run, "prefetch", { output: passages });
    expect((await m.app().readRun(run)).slots).toEqual({ prefetch: passages });
    expect((await m.app().recallTurns(run, { query: "pangolin clause" })).hits).toEqual([]);
    const pack = await m.app().assemble(run, { recall: { query: "pangolin clause" } });
    expect(pack.items.map(({ kind }) => kind)).toEqual(["goal", "slot"]);
  });
});
