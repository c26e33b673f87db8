import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { JobFault } from "../../src/domain/work.js";
import { describeFault } from "../../src/http/fault.js";
import { openAiModel } from "../../src/models/drivers/openai-model.js";
import { observeWith } from "../../src/models/model-observer.js";
import type { AppendTurnsBody } from "../../src/services/bodies.js";
import { runWork } from "../../src/services/run-work.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import { refusalOf, type TestMuniment } from "../support/muniment.js";
import { MORNING, openTalks, quotes, talksIn, user } from "../support/talks.js";

describeEachDatabase("jobs that observe", (database) => {
  let m: TestMuniment;
  const { person, talk, textsOf, workOf, observing } = talksIn(() => m);

  beforeAll(async () => {
    m = await openTalks(database);
  });

  it("S4-13 a person's sessions are observed one after the other in the order in which they began, whoever takes which: a correction is seen", async () => {
    const max = person();
    const rows = [
      "I prefer a call in the morning.",
      "I no longer prefer a call in the morning.",
    ].map((text, index) => ({
      session: `old-${index}`,
      source_id: `t${index}`,
      observed_at: `2026-01-0${index + 1}T08:00:00Z`,
      role: "user" as const,
      text,
    }));
    await m.app().importTurns(max, { route_id: "chat", rows });
    const { work_ids } = await m.operator().observeSubject(max, { imported: true });
    const [first, second] = await Promise.all(
      work_ids.map(async (id) => ({ tenant_id: (await workOf(id)).tenant_id, work_id: id })),
    );
    // Nobody has taken the first yet.
    const behind = { outcome: "retry", pauseSeconds: LIMITS.workBehindSeconds, isBehind: true };
    expect(await runWork(m.services, second as never)).toEqual(behind);
    let besides: unknown;
    const slow = observing(async (source) => {
      besides ??= await runWork(m.services, second as never);
      return await quotes(source);
    });
    const next = second?.work_id;
    expect(await runWork(slow, first as never)).toEqual({ outcome: "done", next });
    expect(besides).toEqual(behind);
    await m.jobs.run();
    const [morning, change] = await observationsOf(m, max);
    expect(change?.supersedes).toBe(morning?.id);
  });

  it("S4-04 what was forgotten while the observer thought isn't observed: the job reads again what is left", async () => {
    const ida = person();
    const { turn, work } = await talk(ida, [user(MORNING), user("I want to walk to the lake.")]);
    let asked = 0;
    const faults: JobFault[] = [];
    const services = observing(
      async (source) => {
        asked += 1;
        if (asked === 1)
          await m.privacy().eraseScope(ida, "turn", { target: turn, reason: "erase" });
        return await quotes(source);
      },
      { onJobFault: (fault) => faults.push(fault) },
    );
    const jobs = createJobs(services);
    expect(await jobs.run()).toMatchObject({ retry: 1, parked: 0 });
    // Nothing is wrong with it: the try doesn't count, and the next one isn't waited for.
    const done = { state: "done", attempts: 1, problem: null };
    expect([await workOf(work), faults]).toMatchObject([done, []]);
    expect(asked).toBe(2);
    expect(await textsOf(ida)).toEqual(["I want to walk to the lake."]);
  });

  it("S4-04 an open session that is asked for many times at once is observed once, with what was said until then", async () => {
    const kim = person();
    const { run } = await talk(kim, [user(MORNING)], { closes: false });
    let asked = 0;
    const services = observing(async (source) => {
      asked += 1;
      return await quotes(source);
    });
    const jobsOf = async (imported = false) =>
      (await m.operator().observeSubject(kim, { imported })).work_ids;
    const [one = [], ...others] = await Promise.all([jobsOf(), jobsOf(), jobsOf()]);
    expect(one).toHaveLength(1);
    expect(others).toEqual([one, one]);
    expect(await jobsOf(true)).not.toEqual(one);
    await m.app().appendTurns(run, { turns: [user("I want to walk to the lake.")] });
    expect(await jobsOf()).toEqual(one);
    await createJobs(services).run();
    expect(asked).toBe(2);
    expect((await textsOf(kim)).toSorted()).toEqual(
      ["I want to walk to the lake.", MORNING].toSorted(),
    );
    expect(await jobsOf()).not.toEqual(one);
    await m.jobs.run();
  });

  it("S4-04 an answer that comes after its person was erased is nobody's", async () => {
    const jim = person();
    const { work } = await talk(jim, [user(MORNING)]);
    const ref = { tenant_id: (await workOf(work)).tenant_id, work_id: work };
    const before = await m.db.query("select count(*) as rows from muniment.observation");
    const services = observing(async (source) => {
      await m.privacy().eraseSubject(jim, {});
      return await quotes(source);
    });
    expect(await runWork(services, ref)).toMatchObject({ outcome: "gone" });
    expect(await m.db.query("select count(*) as rows from muniment.observation")).toEqual(before);
    await m.jobs.run();
  });

  it("S4-04 a job whose worker vanished goes on once its lease ends, two workers keep one result, and a model that is away loses nothing and is named", async () => {
    const kim = person();
    const { work } = await talk(kim, [user(MORNING)]);
    const ref = { tenant_id: (await workOf(work)).tenant_id, work_id: work };
    const faults: JobFault[] = [];
    const dead = openAiModel({ url: "http://127.0.0.1:9/v1", model: "dead", msMax: 50 });
    const away = observing(observeWith(dead, "dead").ask, {
      onJobFault: (fault) => faults.push(fault),
    });
    expect(await runWork(away, ref)).toMatchObject({ outcome: "retry" });
    const problem = "unavailable:model";
    expect(await workOf(work)).toMatchObject({ state: "queued", problem });
    expect(faults).toEqual([
      { job: work, kind: "observe_session", problem, isParked: false, cause: expect.anything() },
    ]);
    expect(JSON.stringify(describeFault(faults[0]?.cause))).not.toContain(MORNING);
    expect(await refusalOf(m.operator().retryWork(work))).toBe("version_conflict");
    expect(await refusalOf(m.operator("other-bank").retryWork(work))).toBe("not_found");
    let second: string | null = null;
    const slow = observing(async (source) => {
      if (second === null) {
        expect(await runWork(m.services, ref)).toMatchObject({ isBehind: true });
        m.clock.forward({ seconds: LIMITS.workLeaseMinutes * 60 });
        second = (await runWork(m.services, ref)).outcome;
      }
      return await quotes(source);
    });
    expect(await runWork(slow, ref)).toMatchObject({ outcome: "gone" });
    expect(second).toBe("done");
    expect(await textsOf(kim)).toEqual([MORNING]);
    await m.jobs.run();
  });

  it("S4-04 an answer of which nothing stands parks the job where an operator sees it; what stands of one is kept and the rest counted", async () => {
    const leo = person();
    const entry = (id: unknown, quote: string) => ({
      dimension: "communication_preference",
      text: quote,
      turn_ids: [id],
      quotes: [quote],
    });
    const invents = observing(async ({ turns }) => ({
      observations: [entry(turns[0]?.id, "I prefer silence.")],
    }));
    const { work } = await talk(leo, [user(MORNING)]);
    await createJobs(invents).run();
    expect(await workOf(work)).toMatchObject({
      state: "parked",
      problem: "invalid_input:observations.0.quotes.0",
    });
    const half = observing(async ({ turns }) => ({
      observations: [entry(turns[0]?.id, MORNING), entry("other", MORNING)],
    }));
    await m.operator().retryWork(work);
    await createJobs(half).run();
    expect(await textsOf(leo)).toEqual([MORNING]);
    const { rows } = await m.operator().readAudit({ limit: 20 });
    expect(rows).toContainEqual(
      expect.objectContaining({
        operation: "observe_session",
        memory_writes: expect.arrayContaining([{ kind: "dropped", ids: [], count: 1 }]),
      }),
    );
    const { work_ids } = await m.operator().observeSubject(leo, { imported: true });
    await createJobs(half).run();
    expect(await workOf(work_ids[0] ?? "")).toMatchObject({ state: "done" });
  });

  it("S4-04 what one route said is kept before the next is asked about, and a job that fails there goes on there", async () => {
    const rae = person();
    const { session } = await talk(rae, [user(MORNING)], { closes: false });
    const { run_id } = await m.app().startRun(rae, session, { route_id: "other", goal: "Talk" });
    await m
      .app()
      .appendTurns(run_id, { turns: [user("I want to walk.")] as AppendTurnsBody["turns"] });
    await m.app().closeSession(rae, session, { compress: false });
    const asked: string[] = [];
    const services = observing(async (source) => {
      asked.push(source.turns.map(({ text }) => text).join());
      if (asked.length === 2) throw new Error("killed");
      return await quotes(source);
    });
    await createJobs(services).run();
    expect([asked, await textsOf(rae)]).toEqual([[MORNING, "I want to walk."], [MORNING]]);
    await createJobs(services).run({ early: true });
    expect(asked.slice(2)).toEqual(["I want to walk."]);
    expect(await textsOf(rae)).toEqual([MORNING, "I want to walk."]);
  });

  it("S4-04 a chat that is idle past its clock is observed though nobody closed it, once; one that goes on is left alone", async () => {
    const ned = person();
    await talk(ned, [user(MORNING)], { closes: false });
    const observed = async () =>
      (await sweep(m.services)).reduce((sum, report) => sum + report.observed, 0);
    await observed();
    await m.jobs.run();
    expect(await textsOf(ned)).toEqual([]);
    m.clock.forward({ hours: 25 });
    expect(await observed()).toBeGreaterThan(0);
    expect(await observed()).toBe(0);
    await m.jobs.run();
    expect(await textsOf(ned)).toEqual([MORNING]);
  });

  it("S4-04 a chat that was closed to stay unobserved does, until somebody asks for it by name", async () => {
    const pia = person();
    const { session } = await talk(pia, [user(MORNING)], { closes: false });
    await m.app().closeSession(pia, session, { compress: false, observe: false });
    m.clock.forward({ hours: 25 });
    await sweep(m.services);
    await m.jobs.run();
    expect(await textsOf(pia)).toEqual([]);
    await m.operator().observeSubject(pia, {});
    await m.jobs.run();
    expect(await textsOf(pia)).toEqual([MORNING]);
  });

  it("S5-07 two jobs that look at the same words side by side, since the lease of one ended, keep what the first of them says", async () => {
    const quin = person();
    const { work } = await talk(quin, [user(MORNING)]);
    const { work_ids } = await m.operator().observeSubject(quin, { imported: true });
    const { tenant_id } = await workOf(work);
    const says = (text: string, meanwhile = async () => {}) =>
      observing(async ({ turns }) => {
        await meanwhile();
        const turn_ids = [turns[0]?.id];
        return {
          observations: [
            { dimension: "communication_preference", text, turn_ids, quotes: [MORNING] },
          ],
        };
      });
    const other = says("Prefers morning calls");
    const slow = says("Calls in the morning", async () => {
      m.clock.forward({ seconds: LIMITS.workLeaseMinutes * 60 });
      await runWork(other, { tenant_id, work_id: work });
    });
    // The first fails for now, so that the second needn't wait for it.
    await runWork(
      observing(() => Promise.reject(new Error("away"))),
      { tenant_id, work_id: work },
    );
    const second = { tenant_id, work_id: work_ids[0] ?? "" };
    expect(await runWork(slow, second)).toMatchObject({ outcome: "done" });
    expect(await textsOf(quin)).toEqual(["Prefers morning calls"]);
  });

  it("S4-04 a long session is observed job by job to its end, and what an import brought when it is asked for", async () => {
    const ola = person();
    const { session, run } = await talk(ola, [user("hello there")], { closes: false });
    for (let part = 0; part < 4; part += 1)
      await m.app().appendTurns(run, {
        turns: Array.from({ length: 60 }, () => user("go on")) as AppendTurnsBody["turns"],
      });
    await m.app().appendTurns(run, { turns: [user(MORNING)] as AppendTurnsBody["turns"] });
    await m.app().closeSession(ola, session, { compress: false });
    await m.jobs.run();
    expect(await textsOf(ola)).toEqual([MORNING]);
    await m.app().importTurns(ola, {
      route_id: "chat",
      rows: [
        {
          session: "years ago",
          source_id: "x-1",
          text: "I want to walk to the lake.",
          observed_at: "2020-05-01T08:00:00Z",
        },
      ],
    });
    expect((await m.operator().observeSubject(ola, {})).work_ids).toEqual([]);
    await m.operator().observeSubject(ola, { imported: true });
    await m.jobs.run();
    expect(await textsOf(ola)).toEqual([MORNING, "I want to walk to the lake."]);
  });

  it("S4-04 of a person with more sessions than one question holds all are observed, page by page", async () => {
    const uma = person();
    const count = LIMITS.observeLeftOverMax + 1;
    const rows = Array.from({ length: count }, (_, index) => ({
      session: `old ${index}`,
      source_id: `old-${index}`,
      text: "hello there",
      observed_at: "2020-05-01T08:00:00Z",
    }));
    for (let from = 0; from < count; from += 50)
      await m.app().importTurns(uma, { route_id: "chat", rows: rows.slice(from, from + 50) });
    const first = await m.operator().observeSubject(uma, { imported: true });
    const rest = { imported: true, cursor: first.cursor ?? "" };
    const second = await m.operator().observeSubject(uma, rest);
    expect([second.work_ids.length, second.cursor]).toEqual([1, null]);
    const ids = [...first.work_ids, ...second.work_ids];
    const sessionsOf =
      "select distinct session_id from muniment.work where work_id = any($1::uuid[])";
    expect(await m.db.query(sessionsOf, [ids])).toHaveLength(count);
    const foreign = m.operator().observeSubject(person(), rest);
    expect(await refusalOf(foreign)).toBe("not_found");
  });
});
