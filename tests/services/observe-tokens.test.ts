import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { Digester } from "../../src/domain/digest.js";
import { LIMITS } from "../../src/domain/limits.js";
import { secondsToNextDay } from "../../src/domain/model-usage.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { describeEachDatabase } from "../setup/databases.js";
import type { TestMuniment } from "../support/muniment.js";
import { MORNING, openTalks, quotes, talksIn, user } from "../support/talks.js";

describeEachDatabase("a day's tokens", (database) => {
  let m: TestMuniment;
  const { person, talk, textsOf, workOf, observing } = talksIn(() => m);

  beforeAll(async () => {
    m = await openTalks(database);
  });

  it("S4-04 a question is paid for by all that it tells the model, in the tokens that this has; one that no day has enough for is parked", async () => {
    const tom = person();
    const { work } = await talk(tom, [user(MORNING)]);
    const ask = (prompt: string, early: boolean) =>
      createJobs({
        ...m.services,
        observer: { model: "scripted", promptOf: () => prompt, ask: quotes },
        modelTokensPerDay: 40_000,
      }).run({ early });
    m.clock.forward({ hours: 24 });
    await ask("鬱蒼 ".repeat(8_000), false);
    expect(await textsOf(tom)).toEqual([]);
    expect(await workOf(work)).toMatchObject({
      state: "parked",
      problem: "too_large:model_tokens_per_day",
    });
    await m.operator().retryWork(work);
    await ask("deep ".repeat(8_000), true);
    expect(await textsOf(tom)).toEqual([MORNING]);
  });

  it("S4-04 over its tenant's day of tokens a job waits, visibly and without losing a try, and goes on the next day", async () => {
    const mia = person();
    const { work } = await talk(mia, [user(MORNING)]);
    const costly = observing(
      async (source, spent) => {
        spent({ tokensIn: 19_000, tokensOut: 500 });
        return await quotes(source);
      },
      { modelTokensPerDay: 20_000 },
    );
    await talk(mia, [user("I prefer letters in large print.")]);
    await createJobs(costly).run();
    expect(await textsOf(mia)).toHaveLength(1);
    const waiting = await m.db.query(
      "select attempts, problem from muniment.work where state = 'queued' and kind = 'observe_session'",
    );
    expect(waiting).toEqual([{ attempts: 0, problem: "budget" }]);
    const usage = await m.db.query(
      "select calls, tokens_in, tokens_out, tokens_reserved from muniment.model_usage order by day desc limit 1",
    );
    expect(usage.map((row) => Object.values(row).map(Number))).toEqual([
      expect.arrayContaining([19_000, 500, 0]),
    ]);
    const putOff = await m.db.query(
      `select retry_count, start_after > now() as waits, start_after <= now() + interval '1 hour' as briefly
       from pgboss.job where state < 'active'`,
    );
    expect(putOff).toEqual([{ retry_count: 0, waits: true, briefly: true }]);
    m.clock.forward({ hours: 24 });
    expect(await createJobs(costly).run({ early: true })).toMatchObject({ done: 0 });
    await m.db.query("update pgboss.job set start_after = now() where state < 'active'");
    await createJobs(costly).run();
    expect(await textsOf(mia)).toHaveLength(2);
    expect(await workOf(work)).toMatchObject({ state: "done" });
  });

  it("S4-04 a job asks soon again where others have set the day's tokens aside, and otherwise when the day is over, an hour later at most", async () => {
    const ned = person();
    const { work } = await talk(ned, [user(MORNING)]);
    const { work: other } = await talk(person(), [user("I want to walk.")]);
    const [ref, otherRef] = await Promise.all(
      [work, other].map(async (id) => ({ tenant_id: (await workOf(id)).tenant_id, work_id: id })),
    );
    m.clock.forward({ seconds: secondsToNextDay(m.clock.now()) });
    const pauseOf = async (services: Services) =>
      (await runWork(services, otherRef as never)).pauseSeconds;
    const pauses: (number | undefined)[] = [];
    const costly: Services = observing(
      async (source, spent) => {
        pauses.push(await pauseOf(costly));
        spent({ tokensIn: 19_000, tokensOut: 500 });
        return await quotes(source);
      },
      { modelTokensPerDay: 20_000 },
    );
    await runWork(costly, ref as never);
    pauses.push(await pauseOf(costly));
    m.clock.forward({ seconds: secondsToNextDay(m.clock.now()) - 90 });
    pauses.push(await pauseOf(costly));
    expect(pauses).toEqual([LIMITS.workReservedSeconds, LIMITS.workSpentMinutes * 60, 90]);
    await m.jobs.run();
  });

  it("S4-04 a digest takes its tokens from the same day", async () => {
    const lea = person();
    const { session } = await talk(lea, [user("Which fee is it?")], { closes: false });
    await m.app().closeSession(lea, session, { observe: false });
    m.clock.forward({ hours: 24 });
    const digester = {
      ...m.services.digester,
      model: "scripted",
      ask: async (...[source, spent]: Parameters<Digester["ask"]>) => {
        spent({ tokensIn: 70, tokensOut: 7 });
        return await m.services.digester.ask(source, spent);
      },
    };
    const run = (modelTokensPerDay: number) =>
      createJobs({ ...m.services, digester, modelTokensPerDay }).run({ early: true });
    expect(await run(100_000)).toMatchObject({ done: 1 });
    const usage = await m.db.query(
      "select task, calls, tokens_in, tokens_out, tokens_reserved from muniment.model_usage where task = 'digest'",
    );
    expect(usage.map((row) => Object.values(row).map(String))).toEqual([
      ["digest", "1", "70", "7", "0"],
    ]);
  });
});
