import { setImmediate } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { Digester } from "../../src/domain/digest.js";
import { LIMITS } from "../../src/domain/limits.js";
import { openQueue } from "../../src/jobs/queue.js";
import { runDue } from "../../src/jobs/run-due.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

interface WorkRow extends Readonly<Record<string, unknown>> {
  readonly tenant_id: string;
  readonly work_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly problem: string | null;
}

describeEachDatabase("jobs", (database) => {
  let m: TestMuniment;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz", "bank-uk"])
      await m.operator(tenant).putRoute("chat", routeBody());
  });

  async function closeOne(tenant = "bank-au", text = "Which fee is it?"): Promise<string> {
    const session = `s${sessions++}`;
    const app = m.app(tenant);
    const { run_id } = await app.startRun("jane", session, { route_id: "chat", goal: "Talk" });
    await app.appendTurns(run_id, { turns: [{ role: "user", text }] });
    const { work_id } = await app.closeSession("jane", session, { observe: false });
    return work_id ?? "";
  }

  /** Services whose digests are made that way, by a model where one is named. */
  const askedBy = (ask: Digester["ask"], model: string | null = null): Services => ({
    ...m.services,
    digester: { ...m.services.digester, model, ask },
  });

  async function work(id: string): Promise<WorkRow | undefined> {
    const rows = await m.db.query<WorkRow>("select * from muniment.work where work_id = $1", [id]);
    return rows[0];
  }

  const waiting = () =>
    m.db.query("select data from pgboss.job where state < 'active' order by id");

  it("S1-25 closing a session queues its compression in the same transaction, with nothing but two ids in the queue", async () => {
    const id = await closeOne();
    const row = await work(id);
    expect(row).toMatchObject({ state: "queued", attempts: 0, kind: "compress_session" });
    expect(await waiting()).toEqual([{ data: { tenant_id: row?.tenant_id, work_id: id } }]);
    expect(await m.jobs.run()).toMatchObject({ done: 1, parked: 0, retry: 0, gone: 0 });
    expect(await work(id)).toMatchObject({ state: "done", attempts: 1, problem: null });
    expect(await waiting()).toEqual([]);
  });

  it("S1-25 a session that can't be closed queues nothing", async () => {
    await closeOne();
    await m.jobs.run();
    expect(await refusalOf(m.app().closeSession("jane", `s${sessions - 1}`, {}))).toBe("run_ended");
    expect(await refusalOf(m.app().closeSession("jane", "never", {}))).toBe("not_found");
    expect(await waiting()).toEqual([]);
  });

  it("S1-25 no conversation is compressed that the application didn't close for it", async () => {
    const { run_id } = await m.app().startRun("jane", "open", { route_id: "chat", goal: "Talk" });
    await m.app().appendTurns(run_id, { turns: [{ role: "user", text: "hello" }] });
    await m.app().recallTurns(run_id, { query: "hello" });
    expect(
      (await m.app().closeSession("jane", "open", { compress: false, observe: false })).work_id,
    ).toBeNull();
    expect(await waiting()).toEqual([]);
  });

  it("S2-24 a job that fails for now is tried again some times, then parked with its reason, and leaves nothing", async () => {
    const id = await closeOne();
    const failing = askedBy(() => Promise.reject(new Error("the model is away")));
    const jobs = createJobs(failing);
    expect(await jobs.run()).toMatchObject({ done: 0, parked: 0, retry: 1, gone: 0 });
    expect(await jobs.run()).toMatchObject({ done: 0, parked: 0, retry: 0, gone: 0 });
    expect(await work(id)).toMatchObject({ state: "queued", attempts: 1, problem: "internal" });
    expect(await jobs.run({ early: true })).toMatchObject({
      done: 0,
      parked: 1,
      retry: LIMITS.workAttemptsMax - 2,
      gone: 0,
    });
    expect(await work(id)).toMatchObject({ state: "parked", attempts: LIMITS.workAttemptsMax });
  });

  it("S2-24 a job whose worker vanished is taken over once its lease ends, and the late worker's result counts for nothing", async () => {
    const id = await closeOne();
    const ref = { tenant_id: (await work(id))?.tenant_id ?? "", work_id: id };
    const held = gate();
    const inside = gate();
    const slow = askedBy(async (...asked) => {
      inside.open();
      await held.passed;
      return await m.services.digester.ask(...asked);
    });
    const late = runWork(slow, ref);
    await inside.passed;
    expect(await runWork(m.services, ref)).toEqual({
      outcome: "retry",
      pauseSeconds: LIMITS.workLeaseMinutes * 60,
      isBehind: true,
    });
    m.clock.forward({ seconds: LIMITS.workLeaseMinutes * 60 });
    expect(await runWork(m.services, ref)).toMatchObject({ outcome: "done" });
    held.open();
    expect(await late).toMatchObject({ outcome: "gone" });
    expect(await work(id)).toMatchObject({ state: "done", attempts: 2 });
    const rows = await m.db.query(
      "select e.episode_id from muniment.episode e join muniment.work w using (session_id) where w.work_id = $1",
      [id],
    );
    expect(rows).toHaveLength(1);
    await m.jobs.run();
  });

  it("S2-24 three workers on one queue take each job once", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await closeOne());
    const workers = [createJobs(m.services), createJobs(m.services), createJobs(m.services)];
    const reports = await Promise.all(workers.map((worker) => worker.run()));
    const sum = (count: "done" | "gone" | "retry") =>
      reports.reduce((total, report) => total + report[count], 0);
    expect([sum("done"), sum("gone"), sum("retry")]).toEqual([ids.length, 0, 0]);
    for (const id of ids) expect(await work(id)).toMatchObject({ state: "done", attempts: 1 });
  });

  it("S2-24 tenants take turns, whoever has how much to do, and one tenant's jobs go in the order in which they were asked for", async () => {
    const first = await closeOne("bank-au");
    const second = await closeOne("bank-au");
    const other = await closeOne("bank-nz");
    const done: string[] = [];
    const queue = openQueue(m.services.store.queue);
    await runDue(m.services, {
      ...queue,
      take: async (...asked) => {
        const job = await queue.take(...asked);
        if (job !== null) done.push(job.data.work_id);
        return job;
      },
    });
    expect(done).toEqual([first, other, second]);
  });

  it("S2-24 a model that doesn't answer one tenant keeps no other tenant's job waiting, not even one that comes later", async () => {
    const texts = Array.from({ length: LIMITS.workConcurrency + 1 }, () => "Which fee is it?");
    for (const _ of texts) await closeOne("bank-au");
    const hanging = gate();
    const allHang = gate();
    const otherDone = gate();
    let asked = 0;
    const services = askedBy(async (source, spent) => {
      if (source.turns.some(({ text }) => text.includes("New Zealand"))) otherDone.open();
      else {
        asked += 1;
        if (asked === LIMITS.workPerTenantMax) allHang.open();
        await hanging.passed;
      }
      return await m.services.digester.ask(source, spent);
    });
    const run = createJobs(services).run();
    await allHang.passed;
    await closeOne("bank-nz", "Which fee is it in New Zealand?");
    await otherDone.passed;
    expect(asked).toBe(LIMITS.workPerTenantMax);
    hanging.open();
    expect(await run).toMatchObject({ done: texts.length + 1, parked: 0, retry: 0, gone: 0 });
  });

  it("S2-24 two tenants whose questions hang, more of them than a process works on at once, keep no third one waiting", async () => {
    const perTenant = LIMITS.workPerTenantMax + 1;
    for (let index = 0; index < perTenant; index += 1)
      for (const tenant of ["bank-au", "bank-nz"]) await closeOne(tenant);
    const hanging = gate();
    const allHang = gate();
    const thirdDone = gate();
    let asked = 0;
    const services = askedBy(async (source, spent) => {
      if (source.turns.some(({ text }) => text.includes("in London"))) thirdDone.open();
      else {
        asked += 1;
        if (asked === 2 * LIMITS.workPerTenantMax) allHang.open();
        await hanging.passed;
      }
      return await m.services.digester.ask(source, spent);
    }, "scripted");
    const run = createJobs(services).run();
    await allHang.passed;
    await closeOne("bank-uk", "Which fee is it in London?");
    await thirdDone.passed;
    expect(asked).toBe(2 * LIMITS.workPerTenantMax);
    hanging.open();
    expect(await run).toMatchObject({ done: 2 * perTenant + 1, parked: 0, retry: 0, gone: 0 });
  });

  it("S2-24 what a vanished worker held is handed out again beside a question that isn't answered", async () => {
    const lost = await closeOne("bank-au");
    const queue = openQueue(m.services.store.queue);
    expect((await queue.take(false, { full: [], served: [] }))?.data.work_id).toBe(lost);
    const hanging = gate();
    const asked = gate();
    const lostDone = gate();
    await closeOne("bank-nz", "Which fee is it in New Zealand?");
    const services = askedBy(async (source, spent) => {
      if (source.turns.some(({ text }) => text.includes("New Zealand"))) {
        asked.open();
        await hanging.passed;
      } else lostDone.open();
      return await m.services.digester.ask(source, spent);
    }, "scripted");
    const run = createJobs(services).run({ early: true });
    await asked.passed;
    await m.db.query(
      "update pgboss.job set started_on = now() - interval '1 day' where data ->> 'work_id' = $1",
      [lost],
    );
    m.clock.forward({ seconds: LIMITS.workTidySeconds });
    await lostDone.passed;
    hanging.open();
    expect(await run).toMatchObject({ done: 2, parked: 0, retry: 0, gone: 0 });
  });

  it("S4-04 a job that ends in a fault of the queue keeps none of the others, and the fault is told at the end", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => closeOne()));
    const queue = openQueue(m.services.store.queue);
    let faults = 0;
    const failing: typeof queue = {
      ...queue,
      complete: async (job) => {
        faults += 1;
        if (faults === 1) throw new Error("the queue is away");
        await queue.complete(job);
      },
    };
    await expect(runDue(m.services, failing)).rejects.toThrow("the queue is away");
    for (const id of ids) expect(await work(id)).toMatchObject({ state: "done" });
  });

  it("S2-24 what a job left to do is done in the same run, also where it ended while the queue was asked in vain", async () => {
    const first = await closeOne();
    const queue = openQueue(m.services.store.queue);
    const ended = gate();
    let looks = 0;
    let left = "";
    const slow: typeof queue = {
      ...queue,
      take: async (early, tenants) => {
        looks += 1;
        if (looks !== 2) return await queue.take(early, tenants);
        // The answer of before the job ended, heard behind it.
        await ended.passed;
        await setImmediate();
        return null;
      },
      complete: async (job) => {
        await queue.complete(job);
        if (job.data.work_id !== first) return;
        left = await closeOne();
        ended.open();
      },
    };
    await runDue(m.services, slow);
    for (const id of [first, left]) expect(await work(id)).toMatchObject({ state: "done" });
  });

  it("S5-02 the application's role may send to the queue and nothing else, the worker's sees nothing in the wall", async () => {
    const may = (role: string, table: string, right: string) =>
      m.db.query("select has_table_privilege($1, $2, $3) as may", [role, table, right]);
    expect(await may("muniment_app", "pgboss.job", "INSERT")).toEqual([{ may: true }]);
    for (const right of ["SELECT", "UPDATE", "DELETE"])
      expect(await may("muniment_app", "pgboss.job", right)).toEqual([{ may: false }]);
    for (const table of ["turn", "work", "episode", "tenant"])
      expect(await may("muniment_worker", `muniment.${table}`, "SELECT")).toEqual([{ may: false }]);
    await expect(m.services.store.queue("select from muniment.tenant")).rejects.toThrow();
  });
});

function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
