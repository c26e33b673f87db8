import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { extractModel } from "../../src/domain/consolidate-extract.js";
import { citedBy } from "../../src/domain/user-model.js";
import type { Services } from "../../src/services/services.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { keptModel, sayings, withModelAnswer } from "../support/kept-model.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";
import { observe } from "../support/observations.js";

const ALLERGIC = { dimension: "allergies", text: "I'm allergic to penicillin", isSafety: true };

describeEachDatabase("consolidation", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const route of ["chat", "ward"]) await m.operator().putRoute(route, routeBody());
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, { route = "chat" } = {}) =>
    (await m.app().startRun(person, "s", { route_id: route, goal: "Talk" })).run_id;

  const modelOf = (run: string) => keptModel(m, run);

  const answering = (answer: object) => withModelAnswer(m, answer);

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
});
