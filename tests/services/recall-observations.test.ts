import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { keepObservation, type Observing } from "../support/observed.js";

const MORNING = "I'd rather come in at eight, before my shift begins";
const NIGHTS = "Since March I work nights, so ring me after two";
const DOG = "My dog Biscuit gets me out of the house every day";

describeEachDatabase("recall of observations", (database) => {
  let m: TestMuniment;
  let run: string;
  const turns = new Map<string, string>();
  let morning: string;
  let afternoon: string;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const put = (route: string, body: Parameters<typeof routeBody>[0] = {}) =>
      m.operator().putRoute(route, routeBody(body));
    await put("chat");
    await put("desk", { recall_from: ["chat"] });
    await put("apart");
    await put("payment", { profile: { long_term: "none" } });
    await put("turns_loop", { autonomy: 1, tools: ["recall_turns"], recall_from: ["chat"] });
    await put("loop", { autonomy: 1, tools: ["recall_observations"], recall_from: ["chat"] });
    run = await start("jane", "chat");
    await say("2025-05-01T08:00:00Z", MORNING);
    await say("2026-02-20T08:00:00Z", NIGHTS);
    await say("2026-02-21T08:00:00Z", DOG);
    morning = await observe("Prefers morning appointments", MORNING, "at eight, before my shift");
    afternoon = await observe("Prefers calls in the afternoon", NIGHTS, "ring me after two", {
      supersedes: morning,
    });
    await observe("Walks daily thanks to a pet", DOG, "gets me out of the house every day", {
      dimension: "engagement",
    });
  });

  let sessions = 0;
  async function start(subject: string, route_id: string): Promise<string> {
    const started = await m.app().startRun(subject, `s${sessions++}`, { route_id, goal: "Ask" });
    return started.run_id;
  }

  async function say(observed_at: string, text: string, at = run): Promise<string> {
    const said = { role: "user", text, speaker: "Jane", observed_at };
    const [id = ""] = (await m.app().appendTurns(at, { turns: [said] })).turn_ids;
    turns.set(text, id);
    return id;
  }

  function observe(text: string, said: string, quote: string, more: Partial<Observing> = {}) {
    const from = [{ turnId: turns.get(said) ?? "", said, quote }];
    return keepObservation(m, { run, text, from, dimension: "communication_preference", ...more });
  }

  const recall = (query: string, more: object = {}, at = run) =>
    m.app().recallObservations(at, { query, ...more });
  const find = async (query: string, more: object = {}, at = run) =>
    (await recall(query, more, at)).hits.map(({ text }) => text);

  it("S5-06 S4-12 an observation comes with the words that it was made of, who said them, when, and by whom it was worded", async () => {
    const { hits, outcome, coverage } = await recall("pet");
    expect(outcome).toBe("matches");
    expect(coverage).toEqual({
      observations: { searched: 3, of: 3, capped: false, pending: 0 },
      turns: null,
    });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({
      kind: "observation",
      dimension: "engagement",
      text: "Walks daily thanks to a pet",
      basis: "generated",
      model: "scripted",
      tier: "reported",
      speaker: "Jane",
      quotes: [
        {
          turn_id: turns.get(DOG),
          text: "gets me out of the house every day",
          speaker: "Jane",
          observed_at: "2026-02-21T08:00:00.000Z",
        },
      ],
      superseded_by: null,
      source: { turn_ids: [turns.get(DOG)], run_id: run, route_id: "chat" },
    });
  });

  it("S5-06 S4-13 what was corrected is marked; a question for the present leaves it out, one for the past finds it", async () => {
    const [first, second] = (await recall("which appointments or calls are preferred")).hits;
    expect([first?.text, first?.superseded_by]).toEqual(["Prefers calls in the afternoon", null]);
    expect([second?.text, second?.superseded_by]).toEqual([
      "Prefers morning appointments",
      afternoon,
    ]);
    expect(await find("which appointments are preferred now")).toEqual([
      "Prefers calls in the afternoon",
    ]);
    expect((await find("which appointments were preferred before"))[0]).toBe(
      "Prefers morning appointments",
    );
  });

  it("S5-07 of one source there is one hit: the turn itself, with what was made of it", async () => {
    const { hits, coverage } = await recall("ring after two in the afternoon", { scope: "both" });
    expect(hits[0]).toMatchObject({
      kind: "turn",
      text: NIGHTS,
      derived: [{ observation_id: afternoon, tier: "reported" }],
      superseded_by: null,
    });
    const shown = hits.flatMap((hit) =>
      hit.kind === "turn" ? [hit.turn_id] : hit.source.turn_ids,
    );
    expect(new Set(shown).size).toBe(shown.length);
    expect(coverage.turns?.searched).toBe(3);
  });

  it("S5-07 what only a paraphrase says is found by it, in one list with what was said", async () => {
    const { hits } = await recall("appointments before the shift", { scope: "both" });
    expect(hits[0]).toMatchObject({ kind: "turn", text: MORNING, superseded_by: afternoon });
    expect((await recall("pet", { scope: "both" })).hits[0]).toMatchObject({ kind: "observation" });
    expect((await recall("pet", { scope: "turns" })).hits).toEqual([]);
  });

  it("S5-06 S5-07 a turn that stands corrected is marked, and counts less, whether observations are asked for or not", async () => {
    const query = "at eight, or after two";
    const marks = async (scope: string) =>
      (await recall(query, { scope })).hits.map((hit) =>
        hit.kind === "turn" ? [hit.text, hit.superseded_by, hit.why.standing] : [],
      );
    const turnsAlone = await marks("turns");
    expect(turnsAlone).toContainEqual([MORNING, afternoon, 0.7]);
    expect(turnsAlone).toContainEqual([NIGHTS, null, undefined]);
    expect((await marks("both")).filter((one) => one.length > 0)).toEqual(turnsAlone);
  });

  it("S5-07 observed twice of one turn is one hit, and no surer", async () => {
    const who = await start("pia", "chat");
    const said = "I keep a parrot";
    const turnId = await say("2026-02-01T08:00:00Z", said, who);
    const from = [{ turnId, said, quote: said }];
    await keepObservation(m, { run: who, text: "Keeps a parrot", from });
    const [once] = (await recall("parrot", {}, who)).hits;
    await keepObservation(m, { run: who, text: "Owner of a parrot", from });
    const twice = await recall("parrot", {}, who);
    expect(twice.hits).toHaveLength(1);
    expect(twice.hits[0]).toMatchObject({ repeats: 1, tier: "reported" });
    expect(twice.hits[0]?.score).toBeLessThanOrEqual(once?.score ?? 0);
  });

  it("S4-10 a recall is narrowed by dimension, session and time, and by nothing beyond the subject", async () => {
    const every = "prefers walks calls appointments";
    expect(await find(every, { dimension: "engagement" })).toEqual(["Walks daily thanks to a pet"]);
    expect(await find(every, { dimension: "no_such_thing" })).toEqual([]);
    expect(await find(every, { observed_until: "2026-01-01T00:00:00Z" })).toEqual([
      "Prefers morning appointments",
    ]);
    const [hit] = (await recall("pet")).hits;
    expect(await find("pet", { source_sessions: [hit?.source.session_id] })).toHaveLength(1);
    expect(await find("pet", { source_sessions: [run] })).toEqual([]);
    expect(await find(every, { limit: 0 })).toEqual([]);
    expect(await find(every, { limit: 1 })).toHaveLength(1);
  });

  it.each([
    [{ scope: "all" }, "invalid_input"],
    [{ dimension: "No Such" }, "invalid_input"],
    [{ dimension: ["engagement"] }, "invalid_input"],
    [{ mode: "exact" }, "invalid_input"],
    [{ limit: -1 }, "invalid_input"],
    [{ kinds: ["observation"] }, "invalid_input"],
    [{ subject: "tom" }, "scope_in_input"],
    [{ workspace: "other" }, "scope_in_input"],
    [{ user_id: "tom" }, "scope_in_input"],
    [{ all_routes: true }, "denied"],
    [{ source_routes: ["apart"] }, "denied"],
  ])("S4-10 %j is refused", async (more, refusal) => {
    expect(await refusalOf(recall("pet", more))).toBe(refusal);
  });

  it("S4-11 by phrase: every word stands there, newest first", async () => {
    const phrase = { mode: "phrase" };
    expect(await find("prefers", phrase)).toEqual([
      "Prefers calls in the afternoon",
      "Prefers morning appointments",
    ]);
    expect(await find('"morning appointments"', phrase)).toEqual(["Prefers morning appointments"]);
    expect(await find('"appointments morning"', phrase)).toEqual([]);
    const both = await recall("prefers", { ...phrase, scope: "both" });
    expect(both.hits.map(({ observed_at }) => observed_at)).toEqual([
      "2026-02-20T08:00:00.000Z",
      "2025-05-01T08:00:00.000Z",
    ]);
  });

  it("S4-12 nothing found proves nothing; a question of stop words alone shows the newest, and says so", async () => {
    const none = await recall("giraffe", { scope: "both" });
    expect(none).toMatchObject({ outcome: "no_matches", hits: [], fallback: null });
    expect(none.next_step).toContain("not proof");
    const recent = await recall("what do you know?", { scope: "both" });
    expect(recent.fallback).toBe("recent");
    expect(recent.hits.map(({ text }) => text)).toEqual([DOG, NIGHTS, MORNING]);
  });

  it("S1-20 S4-30 S5-03 observations stay with their person, workspace and the routes that list theirs", async () => {
    expect(await find("pet", {}, await start("jane", "desk"))).toHaveLength(1);
    for (const other of [await start("jane", "apart"), await start("tom", "desk")])
      expect(await recall("pet", { scope: "both" }, other)).toMatchObject({ hits: [] });
    const elsewhere = m.as({ roles: ["app"], workspace: "other" });
    const { run_id } = await elsewhere.startRun("jane", "there", { route_id: "desk", goal: "x" });
    expect((await elsewhere.recallObservations(run_id, { query: "pet" })).hits).toEqual([]);
  });

  it("S1-13 S4-10 closed without long-term memory, and in a loop that lists another recall tool only", async () => {
    const closed = await start("jane", "payment");
    expect(await refusalOf(recall("pet", {}, closed))).toBe("mode_none");
    const listed = await start("jane", "loop");
    expect(await find("pet", {}, listed)).toHaveLength(1);
    const { tools } = await m.app().listTools(listed);
    expect(tools.map(({ name }) => name)).toEqual(["recall_observations"]);
    expect(tools[0]?.input_schema).toMatchObject({
      properties: { scope: { enum: ["observations", "turns", "both"] }, dimension: {} },
    });
    const unlisted = await start("jane", "turns_loop");
    expect(await refusalOf(recall("pet", {}, unlisted))).toBe("denied");
    const { rows } = await m.operator().readAudit({ run: unlisted, verdict: "deny" });
    expect(rows[0]).toMatchObject({
      operation: "recall_observations",
      policy_ids: ["observations_tool_not_listed"],
      memory_reads: [],
    });
  });

  it("S5-07 S1-29 a pack recalls observations beside turns, none whose turn it has, and says where a line came from", async () => {
    const at = await start("jane", "desk");
    const packed = async (recall: object) => {
      const pack = await m.app().assemble(at, { recall });
      const items = pack.items.filter(({ kind }) => kind === "recalled" || kind === "observation");
      return { ...pack, shown: items.map(({ kind, text }) => [kind, text]) };
    };
    const pet = await packed({ query: "pet" });
    expect(pet.shown).toEqual([["observation", "Walks daily thanks to a pet"]]);
    expect(pet.recalled_observations).toMatchObject({ outcome: "matches" });
    expect((await packed({ query: "daily dog", limit: 1 })).shown).toEqual([["recalled", DOG]]);
    expect((await packed({ query: "pet", kinds: ["turn", "episode"] })).shown).toEqual([]);
    expect((await packed({ query: "pet", dimension: "goals" })).shown).toEqual([]);
    const { lines } = await m.operator().diagnosePack(pet.pack_id, {});
    expect(lines.find(({ kind }) => kind === "observation")).toMatchObject({
      origin: "observation",
    });
    const copied = [{ role: "assistant", text: "Walks daily thanks to a pet" }];
    await m.app().appendTurns(at, { turns: copied });
    const again = await m.app().assemble(at, {});
    const [line] = (await m.operator().diagnosePack(again.pack_id, {})).lines.filter(
      ({ kind }) => kind === "turn",
    );
    expect(line?.origin).toBe("observation");
  });

  it("S5-06 S5-03 an observation whose label was changed, or whose turn is gone, isn't shown", async () => {
    const who = await start("max", "chat");
    const said = "I gave up sugar";
    const turnId = await say("2026-02-01T08:00:00Z", said, who);
    const from = [{ turnId, said, quote: said }];
    const id = await keepObservation(m, { run: who, text: "Gave up sugar", from });
    expect(await find("sugar", {}, who)).toHaveLength(1);
    const set = (change: string) =>
      m.db.query(`update muniment.observation set ${change} where observation_id = $1`, [id]);
    const before = m.alarms.length;
    await set("tier = 'inferred'");
    expect(await find("sugar", {}, who)).toEqual([]);
    expect(m.alarms.length).toBeGreaterThan(before);
    await set("tier = 'reported'");
    await m.db.query("update muniment.turn set evidence_until = recorded_at where turn_id = $1", [
      turnId,
    ]);
    expect(await find("sugar", {}, who)).toEqual([]);
  });

  it("S4-11 a cap is told where something was left out, and not where there is just as much", async () => {
    const who = await start("ursa", "chat");
    const said = "I keep a parrot";
    const from = [{ turnId: await say("2026-02-01T08:00:00Z", said, who), said, quote: said }];
    await keepObservation(m, { run: who, text: "Keeps a parrot", from });
    const copies = (from: number, to: number) =>
      m.db.query(
        `insert into muniment.observation
           (tenant_id, subject_id, observation_id, workspace_id, session_id, run_id, route_id, dimension_id, basis, tier, is_safety,
            turn_ids, speaker_id, supersedes, content_mac, revision, observed_at, recorded_at, expires_at, body_sealed, terms_sealed)
         select o.tenant_id, o.subject_id, gen_random_uuid(), o.workspace_id, o.session_id, o.run_id, o.route_id, o.dimension_id, o.basis,
           o.tier, o.is_safety, o.turn_ids, null, null, decode(md5(n::text), 'hex'), o.revision, o.observed_at - interval '1 day',
           o.recorded_at, o.expires_at, o.body_sealed, o.terms_sealed
         from muniment.observation o, generate_series($2::int, $3::int) n where o.run_id = $1 and o.content_mac <> decode(md5(n::text), 'hex')
           and o.observation_id = (select observation_id from muniment.observation where run_id = $1 order by observed_at desc limit 1)`,
        [who, from, to],
      );
    const coverage = async () => (await recall("parrot", {}, who)).coverage.observations;
    await copies(2, 2_000);
    expect(await coverage()).toMatchObject({ of: 2_000, capped: false });
    await copies(2_001, 2_003);
    expect(await coverage()).toMatchObject({ of: 2_003, capped: true });
  });
});
