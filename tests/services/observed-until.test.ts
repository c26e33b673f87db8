import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { Fold } from "../../src/domain/fold-rules.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import type { TestMuniment } from "../support/muniment.js";
import { MORNING, openTalks, quotes, talksIn, user } from "../support/talks.js";

describeEachDatabase("how long an observation stands", (database) => {
  let m: TestMuniment;
  const { person, talk, textsOf, observing } = talksIn(() => m);

  beforeAll(async () => {
    m = await openTalks(database);
  });

  it("S4-29 an observation outlives its chat, ends with the evidence that it cites, and goes with a turn that is forgotten", async () => {
    const dora = person();
    const { turn, run } = await talk(dora, [user(MORNING), user("I want to walk to the lake.")]);
    await m.jobs.run();
    m.clock.forward({ hours: 48 });
    expect(
      await m
        .app()
        .listTurns(run, {})
        .catch(({ kind }) => kind),
    ).not.toHaveProperty("turns.0");
    expect((await observationsOf(m, dora)).flatMap(({ quoted }) => quoted).toSorted()).toEqual([
      MORNING,
      "I want to walk to the lake.",
    ]);
    const ends = await m.db.query(
      `select 1 from muniment.observation o join muniment.turn t on t.turn_id = any(o.turn_ids) where o.expires_at > t.evidence_until`,
    );
    expect(ends).toEqual([]);
    await m.privacy().eraseScope(dora, "turn", { target: turn, reason: "erase" });
    await m.jobs.run();
    expect(await textsOf(dora)).toEqual(["I want to walk to the lake."]);
  });

  it("S4-29 what is observed anew, because something else was forgotten, is what had been: no import, and nothing said since", async () => {
    const ina = person();
    const { session, run } = await talk(ina, [user(MORNING)], { closes: false });
    const imported = { session, source_id: "x1", observed_at: "2026-01-01T00:00:00Z" };
    const row = { ...imported, role: "user" as const, text: "I want to buy the imported house." };
    await m.app().importTurns(ina, { route_id: "chat", rows: [row] });
    await m.operator().observeSubject(ina, {});
    await m.jobs.run();
    await m.app().appendTurns(run, { turns: [user("I want to hide my secret plan.")] });
    await m.app().closeSession(ina, session, { compress: false, observe: false });
    const other = await talk(ina, [user("I prefer letters in large print.")]);
    await m.jobs.run();
    expect(await textsOf(ina)).toHaveLength(2);
    await m.privacy().eraseScope(ina, "turn", { target: other.turn });
    expect(await m.jobs.run()).toMatchObject({ parked: 0, retry: 0 });
    expect(await textsOf(ina)).toEqual([MORNING]);
  });

  it("S4-29 a turn that is corrected is observed anew, in its new words alone", async () => {
    const emil = person();
    const { turn } = await talk(emil, [user(MORNING)]);
    await m.jobs.run();
    const text = "I prefer calls in the evening.";
    await m.privacy().eraseScope(emil, "turn", { target: turn, reason: "correct", text });
    expect(await textsOf(emil)).toEqual([]);
    await m.jobs.run();
    expect(await textsOf(emil)).toEqual([text]);
  });

  it("S4-13 S5-07 what was taken back doesn't return as current when its correction ends first, nor what that had corrected", async () => {
    const vic = person();
    const current = async () => {
      const { body } = await m.operator().readView(vic, "fold");
      return (body as Fold).entries.map((entry) => entry.current?.value);
    };
    const kept = [365, 365, 2].map((observationDays) => ({
      ...m.services.retention,
      observationDays,
    }));
    const said = [
      MORNING,
      "From now on I prefer calls in the evening instead.",
      "I no longer prefer calls in the evening, I prefer calls at noon.",
    ];
    for (const [at, retention] of kept.entries()) {
      await talk(vic, [user(said[at] ?? "")]);
      await createJobs({ ...m.services, retention }).run();
      expect(await current()).toEqual([said[at]]);
      m.clock.forward({ hours: 1 });
    }
    expect((await observationsOf(m, vic)).map(({ supersedes }) => supersedes !== null)).toEqual([
      false,
      true,
      true,
    ]);
    m.clock.forward({ hours: 48 });
    expect(await current()).toEqual([]);
  });

  it("S4-06 S4-33 a danger is not ended by its denial: that is kept as long as the danger, while its turns are evidence", async () => {
    const wim = person();
    for (const [text, observationDays] of [
      ["I am allergic to penicillin.", 365],
      ["I am no longer allergic to penicillin.", 2],
    ] as const) {
      await talk(wim, [user(text)]);
      const retention = { ...m.services.retention, observationDays };
      await createJobs({ ...m.services, retention }).run();
      m.clock.forward({ hours: 1 });
    }
    const { run_id } = await m.app().startRun(wim, "asking", { route_id: "chat", goal: "Ask" });
    const marks = async () => {
      const { hits } = await m.app().recallObservations(run_id, { query: "allergic penicillin" });
      return hits.map(({ superseded_by }) => superseded_by !== null).toSorted();
    };
    expect(await marks()).toEqual([false, true]);
    for (let day = 0; day < 4; day += 1) {
      m.clock.forward({ hours: 20 });
      await m.app().appendTurns(run_id, { turns: [{ role: "user", text: "Hello." }] });
    }
    expect(await marks()).toEqual([false, true]);
  });

  it("S4-29 S5-07 what is said again once its observation has ended is observed anew; what was said before isn't, however often it is looked at", async () => {
    const sue = person();
    const retention = { ...m.services.retention, observationDays: 2 };
    const observeAgain = () => createJobs(observing(quotes, { retention })).run();
    const all = { imported: true };
    await talk(sue, [user(MORNING)]);
    await observeAgain();
    m.clock.forward({ hours: 72 });
    await m.operator().observeSubject(sue, all);
    await observeAgain();
    expect(await textsOf(sue)).toEqual([MORNING]);
    const { turn } = await talk(sue, [user(MORNING)]);
    await observeAgain();
    expect(await observationsOf(m, sue)).toMatchObject([{}, { supersedes: null, turns: [turn] }]);
    await sweep(m.services);
    await m.operator().observeSubject(sue, all);
    await observeAgain();
    expect(await observationsOf(m, sue)).toMatchObject([{ turns: [turn] }]);
  });
});
