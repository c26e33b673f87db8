import { afterEach, beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { MunimentError } from "../../src/domain/errors.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { Observer } from "../../src/domain/observation.js";
import type { JobFault } from "../../src/domain/work.js";
import { type Job, openQueue, type Queue } from "../../src/jobs/queue.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const LEASE = LIMITS.workLeaseMinutes * 60;
/** The queue's own patience, and the pause behind it. */
const EXPIRY = 16 * 60;
const EVERYBODY = { full: [], served: [] };

describeEachDatabase("one message a job", (database) => {
  let m: TestMuniment;
  let queue: Queue;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    queue = openQueue(m.services.store.queue);
    for (const route of ["chat", "other"]) await m.operator().putRoute(route, routeBody());
  });

  afterEach(async () => {
    await m.db.query("delete from pgboss.job");
    await m.db.query("update muniment.work set state = 'done'");
  });

  const someone = () => `person-${people++}`;

  /** Each chat a second after the one before. */
  async function talk(person: string, text: string): Promise<string> {
    m.clock.forward({ seconds: 1 });
    const session = text;
    const { run_id } = await m.app().startRun(person, session, { route_id: "chat", goal: "Talk" });
    await m.app().appendTurns(run_id, { turns: [{ role: "user", text }] });
    const { observe_work_id } = await m.app().closeSession(person, session, { compress: false });
    return observe_work_id ?? "";
  }

  /** Services whose observer does this with what was said, and observes nothing. */
  function observing(ask: (said: string) => unknown, more: Partial<Services> = {}): Services {
    const observe: Observer["ask"] = async ({ turns }) => {
      await ask(turns.map(({ text }) => text).join());
      return { observations: [] };
    };
    return { ...m.services, ...more, observer: { model: null, promptOf: () => "", ask: observe } };
  }

  /** Takes a job, and never comes back from it. */
  async function vanish(work: string): Promise<void> {
    const inside = gate();
    const hanging = observing(() => {
      inside.open();
      return new Promise(() => {});
    });
    void runWork(hanging, await refOf(work));
    await inside.passed;
  }

  async function refOf(work: string) {
    const [row] = await m.db.query<{ tenant_id: string }>(
      "select tenant_id from muniment.work where work_id = $1",
      [work],
    );
    return { tenant_id: row?.tenant_id ?? "", work_id: work };
  }

  const rowOf = async (work: string) =>
    (
      await m.db.query("select state, attempts, problem from muniment.work where work_id = $1", [
        work,
      ])
    )[0];
  const messages = async () =>
    (
      await m.db.query<{ id: string }>("select data->>'work_id' as id from pgboss.job order by id")
    ).map(({ id }) => id);

  /** Lets time pass for us and for the queue. */
  async function passes(seconds: number): Promise<void> {
    m.clock.forward({ seconds });
    await m.db.query(
      `update pgboss.job set start_after = start_after - $1::integer * interval '1 second',
         started_on = started_on - $1::integer * interval '1 second'`,
      [seconds],
    );
    await queue.tidy();
  }

  async function take(early = false): Promise<Job> {
    const job = await queue.take(early, EVERYBODY);
    if (job === null) throw new Error("nothing is due");
    return job;
  }

  const cases = [
    ["fails for now", new Error("away"), "internal"],
    [
      "has no tokens left",
      new MunimentError("rate_limited", "spent", { field: "budget" }),
      "budget",
    ],
  ] as const;
  it.each(cases)(
    "S4-04 a session whose job %s waits its time, however many others of its person end meanwhile",
    async (_, fault, problem) => {
      const person = someone();
      const works: string[] = [];
      for (const text of ["first", "second", "third", "fourth"])
        works.push(await talk(person, text));
      const asked: string[] = [];
      const services = observing((said) => {
        asked.push(said);
        if (said === "first") throw fault;
      });
      expect(await createJobs(services).run()).toMatchObject({ done: 3, parked: 0 });
      expect(asked).toEqual(["first", "second", "third", "fourth"]);
      expect(await rowOf(works[0] ?? "")).toMatchObject({ state: "queued", problem });
      expect(await messages()).toEqual([works[0]]);
    },
  );

  it("S4-04 a person's next session comes when it was asked for, not behind all that was asked for since", async () => {
    const person = someone();
    await talk(person, "one");
    await talk(person, "two");
    for (let other = 0; other < 4; other += 1) await talk(someone(), "other");
    const [othersWait, twoIsAsked] = [gate(), gate()];
    const asked: string[] = [];
    const services = observing(async (said) => {
      asked.push(said);
      if (asked.filter((one) => one === "other").length === 2) othersWait.open();
      if (said === "two") twoIsAsked.open();
      // The second was looked at in vain by then.
      await (said === "one" ? othersWait.passed : twoIsAsked.passed);
    });
    expect(await createJobs(services).run()).toMatchObject({ done: 6 });
    expect(asked.slice(0, 3).toSorted()).toEqual(["one", "other", "other"]);
    expect(asked[3]).toBe("two");
  });

  it("S4-04 what a job leaves of a session takes over its place in the queue", async () => {
    const person = someone();
    for (const route_id of ["chat", "other"]) {
      const { run_id } = await m.app().startRun(person, "long", { route_id, goal: "Talk" });
      await m.app().appendTurns(run_id, { turns: [{ role: "user", text: "I want to walk." }] });
    }
    const { observe_work_id } = await m.app().closeSession(person, "long", { compress: false });
    const services = observing(() => m.clock.forward({ seconds: 60 }));
    expect(await createJobs(services).run()).toMatchObject({ done: 2 });
    const times = await m.db.query(
      `select count(*)::int as jobs, count(distinct created_at)::int as times from muniment.work
       where session_id = (select session_id from muniment.work where work_id = $1)`,
      [observe_work_id],
    );
    expect(times).toEqual([{ jobs: 2, times: 1 }]);
  });

  it("S4-04 a person's other sessions go on where the one that held them back was forgotten with its worker", async () => {
    const person = someone();
    const first = await talk(person, "first");
    const second = await talk(person, "second");
    await take();
    await vanish(first);
    expect(await m.jobs.run()).toMatchObject({ retry: 1, gone: 0 });
    await m.privacy().eraseScope(person, "session", { target: "first" });
    expect(await m.jobs.run()).toMatchObject({ done: 0 });
    await passes(LIMITS.workBehindSeconds);
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
    expect(await rowOf(second)).toMatchObject({ state: "done", attempts: 1 });
    await passes(EXPIRY);
    expect(await m.jobs.run({ early: true })).toMatchObject({ gone: 1 });
    expect(await messages()).toEqual([]);
  });

  it("S4-04 a session waits for an earlier one whose worker vanished: they are observed in their order", async () => {
    const person = someone();
    const first = await talk(person, "first");
    await take();
    await vanish(first);
    await passes(LEASE + 60);
    await talk(person, "second");
    const asked: string[] = [];
    const jobs = createJobs(observing((said) => asked.push(said)));
    expect(await jobs.run()).toMatchObject({ done: 0, retry: 1 });
    await passes(EXPIRY - LEASE - 60);
    await jobs.run({ early: true });
    expect(asked).toEqual(["first", "second"]);
  });

  it("S4-04 a late worker ends nobody's job but its own", async () => {
    await talk(someone(), "letters");
    const late = await queue.keep(await take());
    await passes(EXPIRY);
    const now = await take(true);
    expect(now.id).toBe(late.id);
    await queue.complete(late);
    await queue.giveBack(late);
    await queue.putOff(late, 0);
    expect(await queue.take(true, EVERYBODY)).toBeNull();
    await queue.giveBack(now);
    expect((await take(true)).id).toBe(late.id);
  });

  it("S4-04 a job that is called while it is looked at in vain is due again at once, one that waits for its tokens isn't", async () => {
    const work = await talk(someone(), "letters");
    const first = await take();
    await queue.call(work);
    await queue.putBehind(first, 60);
    const second = await take();
    await queue.call(work);
    await queue.putOff(second, 60);
    expect(await queue.take(false, EVERYBODY)).toBeNull();
    await queue.call(work);
    const third = await take();
    await queue.putBehind(third, 60);
    expect(await queue.take(false, EVERYBODY)).toBeNull();
  });

  it("S4-04 a job that is handed out while its lease still runs by our clock comes again when that ends", async () => {
    const work = await talk(someone(), "letters");
    await take();
    await vanish(work);
    // The clock was fast.
    m.clock.forward({ seconds: -6 * 60 });
    await passes(EXPIRY);
    m.clock.forward({ seconds: LEASE - EXPIRY });
    expect(await m.jobs.run({ early: true })).toMatchObject({ done: 0, gone: 0, retry: 1 });
    await passes(6 * 60);
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
  });

  it("S4-04 a job that no worker comes back from is parked, told, and holds its person's others back no longer", async () => {
    const person = someone();
    const work = await talk(person, "poison");
    const next = await talk(person, "next");
    const faults: JobFault[] = [];
    const services = observing(() => {}, { onJobFault: (fault) => faults.push(fault) });
    for (let tries = 0; tries < LIMITS.workAttemptsMax; tries += 1) {
      await vanish(work);
      m.clock.forward({ seconds: LEASE });
    }
    expect(await createJobs(services).run()).toMatchObject({ parked: 1, done: 1 });
    expect(await rowOf(work)).toMatchObject({ state: "parked", problem: "vanished" });
    expect(faults).toMatchObject([{ job: work, problem: "vanished", isParked: true }]);
    expect(await rowOf(next)).toMatchObject({ state: "done" });
  });

  it("S4-04 a worker of before a job was revived counts for nothing, though the tries begin anew", async () => {
    const work = await talk(someone(), "letters");
    const ref = await refOf(work);
    const start = (answer: () => void) => {
      const [inside, held] = [gate(), gate()];
      const end = runWork(
        observing(async () => {
          inside.open();
          await held.passed;
          answer();
        }),
        ref,
      );
      return { inside: inside.passed, hold: held, end };
    };
    const away = () => {
      throw new Error("away");
    };
    const old = start(away);
    await old.inside;
    m.clock.forward({ seconds: LEASE });
    for (let tries = 1; tries < LIMITS.workAttemptsMax; tries += 1)
      await runWork(observing(away), ref);
    await m.operator().retryWork(work);
    const fresh = start(() => {});
    await fresh.inside;
    old.hold.open();
    await old.end;
    expect(await rowOf(work)).toMatchObject({ state: "running", attempts: 1 });
    fresh.hold.open();
    expect(await fresh.end).toMatchObject({ outcome: "done" });
  });

  it("S4-04 a sweep hands the queue what it lost, once, and leaves alone what it has", async () => {
    const work = await talk(someone(), "letters");
    const requeued = async () =>
      (await sweep(m.services)).reduce((sum, report) => sum + report.requeued, 0);
    expect(await requeued()).toBe(0);
    await m.db.query("delete from pgboss.job");
    expect([await requeued(), await requeued()]).toEqual([1, 0]);
    // Parked, and revived before its message went.
    const wrong = new MunimentError("invalid_input", "no");
    const job = await take();
    const parking = observing(() => {
      throw wrong;
    });
    expect(await runWork(parking, job.data)).toMatchObject({ outcome: "parked" });
    await m.operator().retryWork(work);
    await queue.complete(job);
    expect([await requeued(), await messages()]).toEqual([1, [work]]);
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
  });
});

function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
