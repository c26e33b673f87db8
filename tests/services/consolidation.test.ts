import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { extractModel } from "../../src/domain/consolidate-extract.js";
import type { KeyId, SubjectId, TenantId, WorkspaceId } from "../../src/domain/ids.js";
import { LIMITS } from "../../src/domain/limits.js";
import { citedBy, type UserModel } from "../../src/domain/user-model.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { sweep } from "../../src/services/sweep.js";
import { openView } from "../../src/services/view-place.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";
import { observe } from "../support/observations.js";

const ALLERGIC = { dimension: "allergies", text: "I'm allergic to penicillin", isSafety: true };

interface KeptView extends Readonly<Record<string, unknown>> {
  readonly tenantId: TenantId;
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
  readonly viewId: string;
  readonly version: number;
  readonly bodySealed: Uint8Array;
  readonly keyId: KeyId;
}

describeEachDatabase("consolidation", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz"]) {
      await m.operator(tenant).putRoute("chat", routeBody());
      await m.operator(tenant).putRoute("ward", routeBody());
    }
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, { route = "chat", tenant = "bank-au" } = {}) =>
    (await m.app(tenant).startRun(person, "s", { route_id: route, goal: "Talk" })).run_id;

  /** The model of the person whose run it is, as it is kept. */
  async function modelOf(run: string): Promise<UserModel | null> {
    const [row] = await m.db.query<KeptView>(
      `select v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId", v.view_id as "viewId",
         v.version, v.body_sealed as "bodySealed", u.key_id as "keyId"
       from muniment.run r
       join muniment.view v on v.tenant_id = r.tenant_id and v.subject_id = r.subject_id and v.view_id = 'user_model'
       join muniment.subject u on u.tenant_id = r.tenant_id and u.subject_id = r.subject_id
       where r.run_id = $1`,
      [run],
    );
    if (row === undefined) return null;
    const key = await m.services.keyring.subjectKey(
      row.tenantId,
      row.subjectId as never,
      row.keyId,
    );
    return key && openView<UserModel>(m.services, { ...row, version: Number(row.version) }, key);
  }

  const answering = (answer: object): Services => ({
    ...m.services,
    consolidator: { model: null, promptOf: () => "", ask: async () => answer },
  });

  const sayings = (model: UserModel | null) =>
    model?.sections.flatMap(({ statements }) => statements.map(({ text }) => text));

  it("S4-06 S4-13 what was observed becomes a model; a later correction shows the change, with both as its sources", async () => {
    const run = await start(someone());
    const morning = await observe(m, run, {
      dimension: "communication_preference",
      text: "Call me in the morning",
    });
    expect(await m.jobs.run()).toMatchObject({ done: 1, parked: 0 });
    expect((await modelOf(run))?.sections).toEqual([
      {
        route_id: "chat",
        dimension: "communication_preference",
        trajectory: "stable",
        statements: [
          { text: "Call me in the morning", observation_ids: [morning], is_safety: false },
        ],
      },
    ]);
    m.clock.forward({ hours: 1 });
    const evening = await observe(m, run, {
      dimension: "communication_preference",
      text: "Call me in the evening",
      supersedes: morning,
    });
    await m.jobs.run();
    expect((await modelOf(run))?.sections).toMatchObject([
      {
        trajectory: "changed",
        statements: [
          {
            text: "Call me in the evening (before: Call me in the morning)",
            observation_ids: [evening, morning],
          },
        ],
      },
    ]);
  });

  it("S4-06 observations that wait are consolidated by one job", async () => {
    const run = await start(someone());
    await observe(m, run, { text: "I want to walk" });
    await observe(m, run, { text: "I want to swim" });
    expect(await m.jobs.run()).toMatchObject({ done: 1, parked: 0, retry: 0, gone: 0 });
    expect(sayings(await modelOf(run))).toHaveLength(2);
  });

  it("S4-06 a consolidator is shown one route at a time", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to walk" });
    await observe(m, await start(person, { route: "ward" }), { text: "I want to go home" });
    const shown: string[][] = [];
    const services: Services = {
      ...m.services,
      consolidator: {
        model: null,
        promptOf: () => "",
        ask: async (source) => {
          shown.push(source.fresh.map(({ text }) => text));
          return extractModel(source);
        },
      },
    };
    await createJobs(services).run();
    expect(shown.toSorted()).toEqual([["I want to go home"], ["I want to walk"]]);
    expect((await modelOf(run))?.sections.map(({ route_id }) => route_id)).toEqual([
      "chat",
      "ward",
    ]);
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
    expect(others).toEqual(["gone", "gone"]);
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
      expect(await m.jobs.run()).toMatchObject({ done: 0, gone: 1 });
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
    expect(ends.toSorted()).toEqual(["done", expect.stringMatching(/^(gone|retry)$/)]);
    expect(asked).toBe(1);
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
    expect(await modelJobs("queued")).toEqual([]);
  });

  it("S4-06 a person's next job of consolidation goes on where the one before it is parked", async () => {
    const run = await start(someone());
    await observe(m, run, { text: WALK });
    const wrong = answering({ sections: "none" });
    const ask = async () => {
      await observe(m, run, { text: SWIM });
      await m.jobs.run();
      return { sections: "none" };
    };
    const parking = { ...wrong, consolidator: { ...wrong.consolidator, ask } };
    const [job] = await modelJobs("queued");
    expect(await runWork(parking, job as never)).toMatchObject({ outcome: "parked" });
    expect(await modelOf(run)).toBeNull();
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
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

  it("S4-06 a late job brings back nothing that was forgotten meanwhile, nor anything of a person who was erased", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to forget" });
    await observe(m, run, { text: "I want to stay" });
    const [turn] = (await m.app().listTurns(run, {})).turns.slice(-1);
    const forgetting = interrupted(() =>
      m.privacy().eraseScope(person, "turn", {
        target: turn?.turn_id ?? "",
        reason: "erase",
        basis: "data_subject_request",
      } as never),
    );
    const jobs = createJobs(forgetting);
    // One that is done is the observing anew that the forgetting asked for.
    expect(await jobs.run()).toMatchObject({ retry: 1, done: 2 });
    expect(sayings(await modelOf(run))).toEqual(["I want to stay"]);
    await observe(m, run, { text: "I want to vanish" });
    const erasing = interrupted(() =>
      m.privacy().eraseSubject(person, { reason: "erase", basis: "data_subject_request" } as never),
    );
    expect(await createJobs(erasing).run()).toMatchObject({ gone: 1, done: 0 });
    expect(
      await m.db.query(
        "select from muniment.view where subject_id not in (select subject_id from muniment.subject where state = 'active')",
      ),
    ).toEqual([]);
  });

  it("S4-06 what is forgotten is out of the model at once, and the model is made again of the rest", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to forget" });
    await observe(m, run, ALLERGIC);
    await m.jobs.run();
    const [turn] = (await m.app().listTurns(run, {})).turns.slice(-1);
    await m.privacy().eraseScope(person, "turn", {
      target: turn?.turn_id ?? "",
      reason: "retract",
      basis: "clean_up",
    } as never);
    expect(await modelOf(run)).toBeNull();
    await m.jobs.run();
    expect(sayings(await modelOf(run))).toEqual([ALLERGIC.text]);
  });

  it("S4-06 an observation's clock takes it out of the model, and a sweep has the model made again", async () => {
    const run = await start(someone());
    await observe(m, run, { text: "The lake is near", days: 1 });
    await observe(m, run, { text: "I want to swim" });
    await m.jobs.run();
    m.clock.forward({ hours: 25 });
    expect((await sweep(m.services)).find(({ models }) => models > 0)).toMatchObject({ models: 1 });
    expect(await m.jobs.run()).toMatchObject({ parked: 0, retry: 0 });
    expect(sayings(await modelOf(run))).toEqual(["I want to swim"]);
    await sweep(m.services);
    expect(await m.jobs.run()).toMatchObject({ done: 0 });
  });

  it("S4-06 what is about safety stays, whatever a consolidator answers; what rests on nothing is dropped and counted", async () => {
    const run = await start(someone());
    await observe(m, run, ALLERGIC);
    const foreign = await observe(m, await start(someone()), { text: "I want to fly" });
    const claims = [foreign, crypto.randomUUID()].map((id) => ({
      dimension: "allergies",
      statements: [{ text: "Has no allergies", observation_ids: [id] }],
    }));
    const jobs = createJobs(answering({ sections: claims }));
    await jobs.run();
    expect(sayings(await modelOf(run))).toEqual([ALLERGIC.text]);
    expect((await modelOf(run))?.dropped).toBe(2);
  });

  it("S4-06 S4-29 whatever a consolidator cites, the model rests on what stands: nothing missing, another's, or forgotten meanwhile", async () => {
    const foreign = await observe(m, await start(someone()), { text: "I want to fly" });
    const missing = crypto.randomUUID();
    const cited = fc.array(fc.constantFrom("walk", "swim", "lost", "foreign", "missing"), {
      maxLength: 3,
    });
    const answers = fc.array(fc.tuple(fc.constantFrom("walk", "swim", "lost"), cited), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(answers, fc.boolean(), async (answer, isForgotten) => {
        const person = someone();
        const run = await start(person);
        const texts = {
          walk: "I want to walk",
          swim: "Swimming helps",
          lost: "Paris attracts me",
        };
        const ids: Record<string, string> = { foreign, missing };
        for (const [name, text] of Object.entries(texts))
          ids[name] = await observe(m, run, { text });
        // The newest of them.
        const [turn] = (await m.app().listTurns(run, {})).turns;
        let questions = 0;
        const ask = async () => {
          questions += 1;
          if (questions === 1 && isForgotten)
            await m.privacy().eraseScope(person, "turn", { target: turn?.turn_id ?? "" });
          const statements = answer.map(([name, refs]) => ({
            text: texts[name],
            observation_ids: refs.map((ref) => ids[ref]),
          }));
          return { sections: [{ dimension: "goals", statements }] };
        };
        const services = { ...m.services, consolidator: { model: null, promptOf: () => "", ask } };
        // The observer of what is left is away: what is looked at is what a consolidator is believed.
        const jobs = createJobs({
          ...services,
          observer: { ...m.services.observer, ask: async () => ({ observations: [] }) },
        });
        await jobs.run();
        await jobs.run({ early: true });
        const standing = ["walk", "swim", ...(isForgotten ? [] : ["lost"])];
        const own = answer.filter(
          ([name, refs]) => refs.length > 0 && refs.every((ref) => ref === name),
        );
        const supported = own
          .filter(([name]) => standing.includes(name))
          .map(([name]) => texts[name]);
        const model = await modelOf(run);
        expect(sayings(model) ?? []).toEqual(expect.arrayContaining(supported));
        const known = new Set(standing.map((name) => ids[name]));
        expect(citedBy(model?.sections ?? []).every((id) => known.has(id))).toBe(true);
      }),
      { numRuns: 5, endOnFailure: true },
    );
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

  it("S4-06 one tenant's people keep no other tenant's model waiting", async () => {
    for (let index = 0; index < 3; index += 1)
      await observe(m, await start(someone()), { text: "I want to walk" });
    const tenant = "bank-nz";
    await observe(m, await start(someone(), { tenant }), { text: "I want to walk", tenant });
    const waiting = await m.db.query<{ readonly priority: number; readonly name: string }>(
      `select j.priority, t.name from pgboss.job j
       join muniment.tenant t on t.tenant_id::text = j.data->>'tenant_id'
       where j.state < 'active' order by j.priority desc`,
    );
    const [first] = waiting;
    expect(waiting.find(({ name }) => name === tenant)?.priority).toBe(first?.priority);
    expect(await m.jobs.run()).toMatchObject({ done: 4 });
  });
});
