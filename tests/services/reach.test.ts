import { beforeAll, expect, it } from "vitest";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const SECRET = "quokka";

describeEachDatabase("how far forgetting reaches", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const recalls = ["recall_turns", "recall_episodes", "recall_observations", "last_time"];
    const tools = ["upsert_preference", "append_episode", ...recalls];
    await m.operator().putField("pref_word", fieldBody());
    const store_fields = ["pref_word"];
    await m.operator().putRoute("chat", routeBody({ store_fields, recall_from: ["loop"] }));
    const profile = { ttl_hours: 24 * 60 };
    await m.operator().putRoute("long", routeBody({ profile, recall_from: ["chat"] }));
    await m.operator().putRoute("loop", routeBody({ autonomy: 1, store_fields, tools }));
  });

  const person = () => `person-${names++}`;
  const start = async (subject: string, session: string, route_id = "chat") =>
    (await m.app().startRun(subject, session, { route_id, goal: "talk" })).run_id;
  const say = async (run: string, text: string) => {
    const turns = [{ role: "user" as const, text }];
    return (await m.app().appendTurns(run, { turns })).turn_ids[0] ?? "";
  };
  const note = (run: string) => m.app().completeStage(run, "decide", { output: { saw: SECRET } });
  const forget = (subject: string, scope: string, target: string) =>
    m.privacy().eraseScope(subject, scope, { target });
  /** Kinds of a person's lines in which the secret stands. */
  const left = async (subject: string) =>
    (await linesOf(m.privacy().exportSubject(subject)))
      .filter((line) => JSON.stringify(line).includes(SECRET))
      .map(({ kind }) => kind);

  it("S5-08 slots that were handed to a child's run, or to a later one, go with the turn or run that they came from", async () => {
    for (const scope of ["turn", "run"]) {
      const subject = person();
      const run = await start(subject, "main");
      const turn = await say(run, `my secret is ${SECRET}`);
      await note(run);
      const handoff = { failures: [`${SECRET} refused`] };
      await m
        .app()
        .projectChild(run, { route_id: "chat", goal: "check", slots: ["decide"], handoff });
      await m.app().closeRun(run, {});
      const next = await start(subject, "main");
      await m.app().handoffSlots(next, { from_run: run, slots: ["decide"], handoff });
      await forget(subject, scope, scope === "turn" ? turn : run);
      expect(await left(subject)).toEqual([]);
    }
  });

  it("S5-08 what a run wrote that was shown an episode goes with the turn that it was made of, and with the episode", async () => {
    for (const scope of ["turn", "episode"]) {
      const subject = person();
      const old = await start(subject, "old");
      const turn = await say(old, `Will the ${SECRET} fee be refunded?`);
      await m.app().closeSession(subject, "old", { observe: false });
      await m.jobs.run();
      const [episode] = await m.db.query<{ episode_id: string }>(
        "select episode_id from muniment.episode where run_id = $1",
        [old],
      );
      const run = await start(subject, "new");
      const recall = { query: `${SECRET} fee`, kinds: ["episode"] };
      expect(JSON.stringify(await m.app().assemble(run, { recall }))).toContain(SECRET);
      await note(run);
      await forget(subject, scope, scope === "turn" ? turn : (episode?.episode_id ?? ""));
      expect(await left(subject)).not.toContain("working");
    }
  });

  it("S5-08 what a run wrote that recalled it by a tool goes with the turn, however it was told", async () => {
    const recalls = {
      turns: (run: string) => m.app().recallTurns(run, { query: `${SECRET} fee` }),
      episodes: (run: string) => m.app().recallEpisodes(run, { query: `${SECRET} fee` }),
      quotes: (run: string) =>
        m.app().recallObservations(run, { query: `${SECRET} fee`, scope: "both" }),
    };
    for (const recall of Object.values(recalls)) {
      const subject = person();
      const turn = await say(await start(subject, "old", "loop"), `Is the ${SECRET} fee refunded?`);
      await m.app().closeSession(subject, "old", { observe: false });
      await m.jobs.run();
      const run = await start(subject, "new", "loop");
      expect(JSON.stringify(await recall(run))).toContain(SECRET);
      await note(run);
      await forget(subject, "turn", turn);
      expect(await left(subject)).not.toContain("working");
    }
  });

  it("S5-08 what a run wrote that was shown it in a pack goes, though the pack's record has run out", async () => {
    const subject = person();
    const turn = await say(await start(subject, "old"), `the ${SECRET} fee`);
    const run = await start(subject, "new", "long");
    const recall = { query: `${SECRET} fee`, kinds: ["turn"] };
    expect(JSON.stringify(await m.app().assemble(run, { recall }))).toContain(SECRET);
    await note(run);
    m.clock.forward({ hours: 24 * 50 });
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "still here" }] });
    m.clock.forward({ hours: 24 * 50 });
    await sweep(m.services);
    expect(await m.db.query("select 1 from muniment.pack where run_id = $1", [run])).toEqual([]);
    expect(await left(subject)).toContain("working");
    await forget(subject, "turn", turn);
    expect(await left(subject)).not.toContain("working");
  });

  it("S5-08 what a run wrote after it knew goes, though a host whose clock is slow wrote it down", async () => {
    const subject = person();
    const run = await start(subject, "main");
    m.clock.forward({ hours: 1 });
    const turn = await say(run, `my secret is ${SECRET}`);
    m.clock.forward({ seconds: -2 });
    await note(run);
    await forget(subject, "turn", turn);
    expect(await left(subject)).toEqual([]);
  });

  it.each(["session", "run", "turn"])(
    "S5-08 what a run wrote that asked for last time goes with the %s that the escalation or the ticket came from",
    async (scope) => {
      const records = {
        escalation: async (run: string) => {
          await m.app().escalateRun(run, { reason: `ask about ${SECRET}` });
        },
        ticket: async (run: string) => {
          await m.app().failRun(run, { code: "gave_up", trace: { tickets: [SECRET] } });
        },
      };
      for (const leave of Object.values(records)) {
        const subject = person();
        const old = await start(subject, "old", "loop");
        const turn = await say(old, `the ${SECRET} fee`);
        await leave(old);
        const run = await start(subject, "new", "loop");
        expect(JSON.stringify(await m.app().lastTime(run, {}))).toContain(SECRET);
        await note(run);
        await forget(subject, scope, { session: "old", run: old, turn }[scope] ?? "");
        expect(await left(subject)).toEqual([]);
        expect(await refusalOf(note(run))).toBe("version_conflict");
      }
    },
  );

  it("S5-08 an episode that was made of what a run wrote, or that the run appended, goes with what the run knew", async () => {
    const subject = person();
    const turn = await say(await start(subject, "old", "loop"), `the ${SECRET} fee`);
    const run = await start(subject, "new", "loop");
    await say(run, "Will the other fee be refunded?");
    await m.app().recallTurns(run, { query: `${SECRET} fee` });
    await m.app().writeWorking(run, { questions: [`which ${SECRET}?`] });
    const [row] = await m.db.query<{ item_key: string }>(
      "select item_key from muniment.working where run_id = $1 and class = 'question'",
      [run],
    );
    const working = [`${run}/question/${row?.item_key}`];
    const open_questions = [{ text: `which ${SECRET}?`, turn_ids: [], working }];
    await m.app().appendEpisode(run, { open_questions });
    await m.app().closeSession(subject, "new", { observe: false });
    await m.jobs.run();
    // Somebody else is shown the digest, and words it.
    const last = await start(subject, "last", "loop");
    const { hits } = await m.app().recallEpisodes(last, { query: SECRET });
    expect(hits).toHaveLength(2);
    await note(last);
    await forget(subject, "turn", turn);
    expect(await left(subject)).toEqual([]);
    await m.jobs.run();
    expect(await left(subject)).toEqual([]);
    const [made] = await m.db.query<{ made: number }>(
      "select count(*)::int as made from muniment.episode where run_id = $1",
      [run],
    );
    expect(made).toEqual({ made: 1 });
  });

  it("S5-08 what a run wrote that was shown a value goes with its field", async () => {
    const subject = person();
    await m.customer(subject).setPreference(subject, "pref_word", { value: SECRET });
    const run = await start(subject, "main");
    expect(JSON.stringify(await m.app().assemble(run, {}))).toContain(SECRET);
    await note(run);
    await m.app().writeCheckpoint(run, { step: 1, result: { saw: SECRET } });
    await forget(subject, "field", "pref_word");
    expect(await left(subject)).toEqual([]);
  });

  it("S5-08 a proposal that waits, and doesn't say of what it was made, goes with the turn before it", async () => {
    const subject = person();
    const run = await start(subject, "main", "loop");
    const turn = await say(run, `call me ${SECRET}`);
    await m.app().upsertPreference(run, { field_id: "pref_word", value: SECRET });
    await forget(subject, "turn", turn);
    expect(await left(subject)).toEqual([]);
  });

  it("S5-08 a proposal that was rejected goes with the turn before it too", async () => {
    const subject = person();
    const run = await start(subject, "main", "loop");
    const turn = await say(run, `call me ${SECRET}`);
    const { candidate_id: id, value_hash } = await m
      .app()
      .upsertPreference(run, { field_id: "pref_word", value: SECRET });
    await m.reviewer().rejectCandidate(id, { value_hash });
    await forget(subject, "turn", turn);
    expect(await left(subject)).toEqual([]);
  });

  it("S5-08 a hold covers what derives from the held, and what a held run wrote", async () => {
    const subject = person();
    const run = await start(subject, "held", "loop");
    const turn = await say(run, `I like ${SECRET}`);
    const proposal = { field_id: "pref_word", value: SECRET, evidence: [turn] };
    await m.app().upsertPreference(run, proposal);
    await m.app().closeSession(subject, "held", { observe: false });
    await m.jobs.run();
    const [episode] = await m.db.query<{ episode_id: string }>(
      "select episode_id from muniment.episode where run_id = $1",
      [run],
    );
    const elsewhere = await start(subject, "elsewhere");
    const other = await say(elsewhere, `the ${SECRET} fee`);
    const shown = await start(subject, "shown");
    await m.app().assemble(shown, { recall: { query: `${SECRET} fee`, kinds: ["turn"] } });
    await note(shown);
    const held = await m.privacy().placeHold(subject, { covers: "turn", target: turn });
    const refused = async (scope: string, target: string) =>
      expect(await refusalOf(forget(subject, scope, target))).toBe("on_hold");
    await refused("field", "pref_word");
    await refused("episode", episode?.episode_id ?? "");
    await m.privacy().releaseHold(held.hold_id);
    await m.privacy().placeHold(subject, { covers: "run", target: shown });
    await refused("turn", other);
    await forget(subject, "field", "pref_word");
  });

  it("S5-08 what an agent words after something that its run knew was forgotten is refused until the run takes a new pack", async () => {
    const subject = person();
    const turn = await say(await start(subject, "old", "loop"), `the ${SECRET} fee`);
    const run = await start(subject, "new", "loop");
    const beside = await start(subject, "beside", "loop");
    m.clock.forward({ hours: 1 });
    expect((await m.app().recallTurns(run, { query: `${SECRET} fee` })).hits).toHaveLength(1);
    await forget(subject, "turn", turn);
    const app = m.app();
    const trace = { prompts: [`You know ${SECRET}`] };
    const child = { route_id: "chat", goal: SECRET, slots: [] };
    const late = {
      complete_stage: () => note(run),
      write_working: () => app.writeWorking(run, { questions: [SECRET] }),
      write_checkpoint: () => app.writeCheckpoint(run, { step: 1, result: SECRET }),
      append_turns: () => app.appendTurns(run, { turns: [{ role: "assistant", text: SECRET }] }),
      upsert_preference: () => app.upsertPreference(run, { field_id: "pref_word", value: SECRET }),
      project_child: () => app.projectChild(run, child),
      escalate_run: () => app.escalateRun(run, { reason: SECRET }),
      fail_run: () => app.failRun(run, { code: "gave_up", trace }),
    };
    for (const [name, write] of Object.entries(late))
      expect([name, await refusalOf(write())]).toEqual([name, "version_conflict"]);
    await say(run, "what a person says is no late work");
    await note(beside);
    await app.assemble(run, {});
    await app.completeStage(run, "decide", { output: "from what is left" });
    await app.failRun(run, { code: "gave_up", trace: { prompts: [] } });
  });

  it("S5-08 a run whose escalation goes waits for nobody any more", async () => {
    const subject = person();
    const run = await start(subject, "main");
    m.clock.forward({ hours: 1 });
    const turn = await say(run, `my secret is ${SECRET}`);
    await m.app().escalateRun(run, { reason: `about ${SECRET}` });
    await forget(subject, "turn", turn);
    expect(await m.app().readRun(run)).toMatchObject({ state: "active", escalation: null });
    expect(await refusalOf(note(run))).toBe("version_conflict");
    await m.app().assemble(run, {});
    await m.app().completeStage(run, "decide", { output: "from what is left" });
  });

  it("S5-08 a run that knew something that was forgotten may end without a new pack", async () => {
    const subject = person();
    const run = await start(subject, "main");
    await forget(subject, "turn", await say(run, `my secret is ${SECRET}`));
    await m.app().closeRun(run, {});
    expect(await left(subject)).toEqual([]);
  });

  it("S5-08 a request is recognised after a second erasure too, though the tombstone of the first has run out", async () => {
    const subject = person();
    const run = await start(subject, "main");
    const turns = [{ role: "user" as const, text: `the ${SECRET} fee` }];
    const send = async () =>
      (await m.app("bank-au", `key of ${subject}`).appendTurns(run, { turns })).turn_ids[0] ?? "";
    await forget(subject, "turn", await send());
    m.clock.forward({ hours: 23, seconds: 1 });
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "still here" }] });
    m.clock.forward({ hours: 1 });
    await forget(subject, "turn", await send());
    expect(await refusalOf(send())).toBe("erased");
  });
});
