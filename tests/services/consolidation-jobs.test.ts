import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { extractModel } from "../../src/domain/consolidate-extract.js";
import { LIMITS } from "../../src/domain/limits.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { keptModel, sayings, withModelAnswer } from "../support/kept-model.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";
import { observe } from "../support/observations.js";

describeEachDatabase("jobs that consolidate", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
    await m.operator().putRoute("ward", routeBody());
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, { route = "chat" } = {}) =>
    (await m.app().startRun(person, "s", { route_id: route, goal: "Talk" })).run_id;

  const modelOf = (run: string) => keptModel(m, run);

  const answering = (answer: object) => withModelAnswer(m, answer);

  it("S4-06 observations that wait are consolidated by one job", async () => {
    const run = await start(someone());
    await observe(m, run, { text: "I want to walk" });
    await observe(m, run, { text: "I want to swim" });
    expect(await m.jobs.run()).toMatchObject({ done: 1, parked: 0, retry: 0, gone: 0 });
    expect(sayings(await modelOf(run))).toHaveLength(2);
  });

  it("S4-06 one that asks route after route holds on to its job: nobody else takes it while it goes on", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to walk" });
    await observe(m, await start(person, { route: "ward" }), { text: "I want to go home" });
    const others: string[] = [];
    const slow = interrupted(async () => {
      m.clock.forward({ seconds: (LIMITS.workLeaseMinutes - 1) * 60 });
      const [row] = await m.db.query<{ readonly tenant_id: string; readonly work_id: string }>(
        "select tenant_id, work_id from muniment.work where state = 'running'",
      );
      if (row !== undefined) others.push((await runWork(m.services, row)).outcome);
    }, Number.POSITIVE_INFINITY);
    expect(await createJobs(slow).run()).toMatchObject({ done: 1, gone: 0, retry: 0 });
    expect(others).toEqual(["retry", "retry"]);
  });

  /** A consolidator that somebody comes before, while it thinks: once, or each time. */
  function interrupted(meanwhile: () => Promise<unknown>, times = 1): Services {
    let left = times;
    return {
      ...m.services,
      consolidator: {
        model: null,
        promptOf: () => "",
        ask: async (source) => {
          left -= 1;
          if (left >= 0) await meanwhile();
          return extractModel(source);
        },
      },
    };
  }

  const WALK = "I want to walk";
  const SWIM = "I want to swim";
  const modelJobs = (state: string) =>
    m.db.query<{ readonly tenant_id: string; readonly work_id: string }>(
      `select tenant_id, work_id, attempts, problem from muniment.work
       where kind = 'consolidate_subject' and state = $1 order by work_id desc`,
      [state],
    );

  it("S4-06 S4-14 one job at a time makes a person's model: the next isn't paid for twice, and goes on when that one ends", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: WALK });
    let asked = 0;
    let seen: unknown;
    const slow = interrupted(async () => {
      asked += 1;
      if (asked > 1) return;
      await observe(m, run, { text: SWIM });
      expect(await m.jobs.run()).toMatchObject({ done: 0, gone: 0, retry: 1 });
      seen = (await m.app().readFreshness(person)).state;
    }, Number.POSITIVE_INFINITY);
    expect(await createJobs(slow).run()).toMatchObject({ done: 2, retry: 0, gone: 0 });
    expect([asked, seen]).toEqual([2, "running"]);
    expect(sayings(await modelOf(run))?.toSorted()).toEqual([SWIM, WALK]);
    expect((await modelJobs("done")).slice(0, 2)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  it("S4-06 of two jobs of one model that are taken at once, one asks, and the other goes on when that one ends", async () => {
    const run = await start(someone());
    await observe(m, run, { text: WALK });
    const [one] = await modelJobs("queued");
    const next = crypto.randomUUID();
    await m.db.query(
      `insert into muniment.work
       select (jsonb_populate_record(w, jsonb_build_object('work_id', $2::text))).* from muniment.work w where w.work_id = $1`,
      [one?.work_id, next],
    );
    let asked = 0;
    let decide = (): void => undefined;
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const slow = interrupted(async () => {
      asked += 1;
      if (asked > 1) decide();
      await decided;
    }, Number.POSITIVE_INFINITY);
    const take = async (work_id: string | undefined) => {
      const { outcome } = await runWork(slow, { ...one, work_id } as never);
      decide();
      return outcome;
    };
    const ends = await Promise.all([take(one?.work_id), take(next)]);
    // The second waits behind the first, be that under way already or not.
    expect(ends.toSorted()).toEqual(["done", "retry"]);
    expect(asked).toBe(1);
    await sweep(m.services);
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
    expect(await modelJobs("queued")).toEqual([]);
  });

  it("S4-06 a person's next job of consolidation goes on where the one before it is parked", async () => {
    const run = await start(someone());
    await observe(m, run, { text: WALK });
    let asked = 0;
    const ask: Services["consolidator"]["ask"] = async (source) => {
      asked += 1;
      if (asked > 1) return extractModel(source);
      await observe(m, run, { text: SWIM });
      expect(await m.jobs.run()).toMatchObject({ done: 0, retry: 1 });
      return { sections: "none" };
    };
    const parking = { ...m.services, consolidator: { ...m.services.consolidator, ask } };
    expect(await createJobs(parking).run()).toMatchObject({ parked: 1, done: 1 });
    expect(sayings(await modelOf(run))?.toSorted()).toEqual([SWIM, WALK]);
  });

  it("S4-06 S4-14 a late job, whose lease ended, overwrites no newer model: it reads again without losing a try, and tells what both know", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: WALK });
    const slow = interrupted(async () => {
      m.clock.forward({ seconds: LIMITS.workLeaseMinutes * 60 });
      await observe(m, run, { text: SWIM });
      const [other] = await modelJobs("queued");
      expect(await runWork(m.services, other as never)).toMatchObject({ outcome: "done" });
    });
    const [job] = await modelJobs("queued");
    expect(await runWork(slow, job as never)).toMatchObject({ outcome: "retry" });
    expect(sayings(await modelOf(run))).toHaveLength(2);
    expect(await modelJobs("queued")).toMatchObject([{ attempts: 0, problem: "overtaken" }]);
    expect((await m.app().readFreshness(person)).state).toBe("queued");
    expect(await createJobs(slow).run()).toMatchObject({ done: 1 });
    expect(sayings(await modelOf(run))?.toSorted()).toEqual([SWIM, WALK]);
  });

  it("S4-06 an answer without the asked form parks the job where the operator sees it, and leaves the model as it was", async () => {
    const run = await start(someone());
    await observe(m, run, { text: "I want to walk" });
    await m.jobs.run();
    await observe(m, run, { text: "I want to swim" });
    const jobs = createJobs(answering({ sections: "none" }));
    expect(await jobs.run()).toMatchObject({ parked: 1 });
    expect(sayings(await modelOf(run))).toEqual(["I want to walk"]);
    const { work } = await m.operator().listWork({ state: "parked" });
    expect(work[0]).toMatchObject({
      kind: "consolidate_subject",
      problem: "invalid_input:sections",
    });
    await m.operator().retryWork(work[0]?.work_id ?? "");
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
    expect(sayings(await modelOf(run))).toHaveLength(2);
  });
});
