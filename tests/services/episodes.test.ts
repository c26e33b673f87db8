import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { LIMITS } from "../../src/domain/limits.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const LATE_FEE = "The late fee of 35 dollars was applied twice";

describeEachDatabase("episodes", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const put = (route: string, body: Parameters<typeof routeBody>[0]) =>
      m.operator().putRoute(route, routeBody(body));
    await put("fee_explain", {});
    await put("card_help", { recall_from: ["fee_explain"] });
    await put("payment_initiate", {
      profile: { long_term: "none" },
      risk: "high",
      side_effects: "write",
    });
    await put("loop", { autonomy: 1, tools: ["recall_turns", "append_episode"] });
    await put("closed_loop", { autonomy: 1, tools: ["recall_turns"] });
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, session: string, route = "fee_explain") =>
    (await m.app().startRun(person, session, { route_id: route, goal: "Talk" })).run_id;
  const say = (run: string, role: "user" | "assistant", text: string) =>
    m.app().appendTurns(run, { turns: [{ role, text }] });

  /** A dispute that is closed and compressed. */
  async function dispute(person: string, session = "old", route = "fee_explain"): Promise<string> {
    const run = await start(person, session, route);
    await say(run, "user", `${LATE_FEE}. Will one of them be refunded?`);
    await m.app().completeStage(run, "decide", { output: { refund: 35, card: "A-1009" } });
    await m.app().writeWorking(run, {
      failures: ["criterion tone-2: the answer names no date"],
      artifact: "case://disputes/771",
      questions: ["Which of the two is refunded?"],
    });
    await m.app().closeSession(person, session, { data_class: "complaint", observe: false });
    expect(await m.jobs.run()).toMatchObject({ done: 1, parked: 0 });
    return run;
  }

  const episodesOf = (run: string, query = "late fee refund") =>
    m.app().recallEpisodes(run, { query });

  it("S1-24 S2-24 a closed session becomes open questions, decisions, artifacts and failures, each with what it was taken from", async () => {
    const person = someone();
    const old = await dispute(person);
    const run = await start(person, "new");
    const { hits, outcome } = await episodesOf(run);
    expect(outcome).toBe("matches");
    expect(hits[0]).toMatchObject({
      outcome: "closed",
      source: { source_route_id: "fee_explain", run_id: old, data_class: "complaint" },
    });
    const summary = hits[0]?.summary;
    expect(summary?.open_questions.map(({ text }) => text)).toEqual([
      "Which of the two is refunded?",
      "Will one of them be refunded?",
    ]);
    expect(summary?.open_questions[1]?.turn_ids).toHaveLength(1);
    expect(summary?.decisions[0]).toEqual({
      text: '{"refund":35,"card":"A-1009"}',
      turn_ids: [],
      working: [`${old}/slot/decide`],
    });
    expect(summary?.artifacts[0]?.text).toBe("case://disputes/771");
    expect(summary?.evaluator_failures[0]?.text).toBe("criterion tone-2: the answer names no date");
  });

  it("S1-24 the raw turns of a compressed session end with their own clock, and the episode with its own", async () => {
    const person = someone();
    const run = await start(person, "old");
    await say(run, "user", "Why was the late fee of 35 dollars applied twice?");
    await m.app().closeSession(person, "old", { observe: false });
    const longer = {
      ...m.services,
      retention: { ...m.services.retention, episodeDays: LIMITS.evidenceDays + 1 },
    };
    expect(await createJobs(longer).run()).toMatchObject({ done: 1 });
    const found = async (session: string) => {
      const asking = await start(person, session);
      const turns = await m.app().recallTurns(asking, { query: "late fee" });
      return [turns.hits.length, (await episodesOf(asking)).hits.length];
    };
    m.clock.forward({ hours: LIMITS.evidenceDays * 24 - 1 });
    expect(await found("before")).toEqual([1, 1]);
    m.clock.forward({ hours: 1 });
    expect(await found("between")).toEqual([0, 1]);
    m.clock.forward({ seconds: LIMITS.sweepGraceMs / 1_000 });
    await sweep(m.services);
    expect(await m.db.query("select from muniment.turn where run_id = $1", [run])).toEqual([]);
    m.clock.forward({ hours: 24 });
    expect(await found("after")).toEqual([0, 0]);
  });

  it("S1-20 an episode is recalled under its own route and the routes that list it, and nothing else", async () => {
    const person = someone();
    await dispute(person);
    expect((await episodesOf(await start(person, "own"))).hits).toHaveLength(1);
    const listed = await start(person, "listed", "card_help");
    expect((await episodesOf(listed)).hits).toHaveLength(1);
    const payment = await start(person, "pay", "payment_initiate");
    expect(await refusalOf(episodesOf(payment))).toBe("mode_none");
    const loop = await start(person, "loop", "loop");
    expect((await episodesOf(loop)).hits).toHaveLength(0);
    const asked = { query: "fee", source_routes: ["fee_explain"] };
    expect(await refusalOf(m.app().recallEpisodes(loop, asked))).toBe("denied");
    const { rows } = await m.operator().readAudit({ run: payment, verdict: "deny" });
    expect(rows[0]).toMatchObject({ operation: "recall_episodes", refusal: "mode_none" });
  });

  it("S1-22 all episodes of a person at once are denied", async () => {
    const run = await start(someone(), "s");
    const everything = { query: "fee", all_routes: true };
    expect(await refusalOf(m.app().recallEpisodes(run, everything))).toBe("denied");
  });

  it("S1-37 another person, tenant or workspace gets nothing of an episode", async () => {
    const person = someone();
    await dispute(person);
    const other = await start(someone(), "s");
    expect((await episodesOf(other)).hits).toHaveLength(0);
    const elsewhere = m.as({ id: "app", roles: ["app"], workspace: "other" });
    await elsewhere
      .startRun(person, "far", { route_id: "fee_explain", goal: "Talk" })
      .then(async ({ run_id }) => {
        const { hits } = await elsewhere.recallEpisodes(run_id, { query: "late fee" });
        expect(hits).toHaveLength(0);
      });
  });

  it("S2-11 what a failed run came to is marked as not promoted and reaches no later run", async () => {
    const person = someone();
    const run = await start(person, "bad");
    await say(run, "user", LATE_FEE);
    await m.app().completeStage(run, "decide", { output: { refund: 9_999 } });
    await m.app().failRun(run, { code: "evaluator_rejected" });
    await m.app().closeSession(person, "bad", { observe: false });
    await m.jobs.run();
    const [row] = await m.db.query(
      "select outcome, unpromoted from muniment.episode where run_id = $1",
      [run],
    );
    expect(row).toEqual({ outcome: "failed", unpromoted: true });
    const next = await start(person, "next");
    expect((await episodesOf(next, "refund 9999")).hits).toHaveLength(0);
    const pack = await m.app().assemble(next, { recall: { query: "refund 9999" } });
    expect(pack.text).not.toContain("9999");
  });

  it("S1-14 S2-04 an episode enters a pack only where a recall is asked for, as a labelled block of its layer", async () => {
    const person = someone();
    await dispute(person);
    const run = await start(person, "new");
    expect((await m.app().assemble(run, {})).items.map(({ kind }) => kind)).not.toContain(
      "episode",
    );
    const pack = await m.app().assemble(run, { recall: { query: "refund", kinds: ["episode"] } });
    const item = pack.items.find(({ kind }) => kind === "episode");
    expect(item).toMatchObject({ layer: "episodic" });
    expect(pack.text).toContain('layer="episodic"');
    expect(pack.recall).toBeNull();
    expect(pack.recalled_episodes).toMatchObject({ outcome: "matches" });
  });

  it("S4-10 S5-08 a recall that remembers its index finds what came since, and nothing that was forgotten since", async () => {
    const person = someone();
    await dispute(person, "first");
    const run = await start(person, "asking");
    const sessions = async () =>
      (await episodesOf(run)).hits.map(({ source }) => source.session_id).sort();
    const warm = await sessions();
    expect(warm).toHaveLength(1);
    await dispute(person, "second");
    const both = await sessions();
    expect(both).toHaveLength(2);
    await m.privacy().eraseScope(person, "session", { target: "first" });
    const left = both.filter((session) => !warm.includes(session));
    expect(await sessions()).toEqual(left);
    m.services.indexes.close();
    expect(await sessions()).toEqual(left);
  });

  it("S1-24 an agent appends an episode by the tool that its route lists; a leaked call is denied and audited", async () => {
    const person = someone();
    const asAgent = (run: string, session: string) =>
      m.as({ id: "agent", kind: "agent", subject: person, session, run });
    const run = await start(person, "a", "loop");
    const { turn_ids } = await say(run, "user", "Please block card A-1009");
    const asked = [{ text: "block card A-1009", turn_ids }];
    const { episode_id } = await asAgent(run, "a").appendEpisode(run, { open_questions: asked });
    const { hits } = await asAgent(run, "a").recallEpisodes(run, { query: "block card" });
    expect(hits[0]?.episode_id).toBe(episode_id);
    const closed = await start(person, "b", "closed_loop");
    const said = await say(closed, "user", "Please block card A-1009");
    const leaked = asAgent(closed, "b").appendEpisode(closed, {
      open_questions: [{ text: "block card A-1009", turn_ids: said.turn_ids }],
    });
    expect(await refusalOf(leaked)).toBe("denied");
    const { rows } = await m.operator().readAudit({ run: closed, verdict: "deny" });
    expect(rows[0]).toMatchObject({ operation: "append_episode", refusal: "denied" });
  });

  it("S2-24 an append that its session doesn't say, or that cites another session, is refused by its place", async () => {
    const person = someone();
    const run = await start(person, "s");
    const { turn_ids } = await say(run, "user", "I paid 35 dollars");
    const other = await say(await start(someone(), "s"), "user", "I paid 35 dollars");
    const append = (entry: object) =>
      m.app().appendEpisode(run, { open_questions: [entry] } as never);
    for (const entry of [
      { text: "the person paid 36 dollars", turn_ids },
      { text: "the person paid 35 dollars", turn_ids: other.turn_ids },
      { text: "the person paid 35 dollars" },
      { text: "the person was very angry", turn_ids },
    ])
      expect(await refusalOf(append(entry))).toBe("invalid_input");
  });

  it("S2-24 a digest that isn't right parks its job, visible to the operator, and nothing of it is kept", async () => {
    const person = someone();
    const run = await start(person, "s");
    await say(run, "user", "Which fee is it?");
    const { work_id } = await m.app().closeSession(person, "s", { observe: false });
    const guess = { text: "the fee is 12 dollars", turn_ids: [], working: [] };
    const wrong = { open_questions: [guess], decisions: [], artifacts: [], evaluator_failures: [] };
    const jobs = createJobs({
      ...m.services,
      digester: { ...m.services.digester, ask: async () => wrong },
    });
    expect(await jobs.run()).toMatchObject({ parked: 1 });
    const { work } = await m.operator().listWork({ state: "parked" });
    expect(work[0]).toMatchObject({
      work_id,
      state: "parked",
      problem: "invalid_input:digest.open_questions.0",
    });
    expect(await m.db.query("select from muniment.episode where run_id = $1", [run])).toEqual([]);
    expect(await refusalOf(m.app().retryWork(work_id ?? ""))).toBe("denied");
    await m.operator().retryWork(work_id ?? "");
    expect(await m.jobs.run()).toMatchObject({ done: 1 });
    expect(await refusalOf(m.operator().retryWork(work_id ?? ""))).toBe("version_conflict");
  });
});
