import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { Digester } from "../../src/domain/digest.js";
import type { Fold } from "../../src/domain/fold-rules.js";
import { LIMITS } from "../../src/domain/limits.js";
import { secondsToNextDay } from "../../src/domain/model-usage.js";
import type { Observer, ObserveSource } from "../../src/domain/observation.js";
import { findObservations } from "../../src/domain/observe-extract.js";
import { inOneGo } from "../../src/domain/steps.js";
import type { JobFault } from "../../src/domain/work.js";
import { describeFault } from "../../src/http/fault.js";
import { openAiModel } from "../../src/models/drivers/openai-model.js";
import { observeWith } from "../../src/models/model-observer.js";
import type { AppendTurnsBody } from "../../src/services/bodies.js";
import { runWork } from "../../src/services/run-work.js";
import type { Services } from "../../src/services/services.js";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import {
  dimensionBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const MORNING = "I prefer calls in the morning.";

describeEachDatabase("observe", (database) => {
  let m: TestMuniment;
  let people = 0;
  let sessions = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const route of ["chat", "other"]) await m.operator().putRoute(route, routeBody());
  });

  type Body = AppendTurnsBody;
  const user = (text: string, more: object = {}) => ({ role: "user", text, ...more });
  const person = () => `person-${people++}`;

  /** Says it in a chat of its own and, unless told otherwise, closes that. */
  async function talk(
    subject: string,
    turns: readonly object[],
    { route = "chat", closes = true, app = m.app() } = {},
  ) {
    const session = `s${sessions++}`;
    const { run_id } = await app.startRun(subject, session, { route_id: route, goal: "Talk" });
    const { turn_ids } = await app.appendTurns(run_id, { turns } as unknown as Body);
    if (!closes) return { session, run: run_id, turn: turn_ids[0] ?? "", work: "" };
    const { observe_work_id } = await app.closeSession(subject, session, { compress: false });
    return { session, run: run_id, turn: turn_ids[0] ?? "", work: observe_work_id ?? "" };
  }

  const textsOf = async (subject: string) =>
    (await observationsOf(m, subject)).map(({ text }) => text);

  async function workOf(id: string) {
    const rows = await m.db.query("select * from muniment.work where work_id = $1", [id]);
    return rows[0] as { tenant_id: string; state: string; attempts: number; problem: string };
  }

  /** Services whose observer does this instead; with a model's name it is counted. */
  const observing = (ask: Observer["ask"], more: Partial<Services> = {}): Services => ({
    ...m.services,
    observer: { model: "scripted", promptOf: () => "", ask },
    ...more,
  });
  const quotes = async (source: ObserveSource) => inOneGo(findObservations(source));

  it("S4-04 S4-05 S5-06 a closed session leaves what its person said, by dimension, with source, time, author, basis and tier", async () => {
    const ann = person();
    const { turn } = await talk(ann, [user(`Hello there. ${MORNING} Ok, thanks!`)]);
    expect(await observationsOf(m, ann)).toEqual([]);
    await m.jobs.run();
    expect(await observationsOf(m, ann)).toEqual([
      {
        id: expect.any(String),
        dimension: "communication_preference",
        basis: "quoted",
        tier: "reported",
        isSafety: false,
        route: "chat",
        supersedes: null,
        speaker: null,
        turns: [turn],
        observedAt: m.clock.now().toISOString(),
        text: MORNING,
        quoted: [MORNING],
        model: null,
        madeBy: "quotes/4 de/2 en/2 es/2",
      },
    ]);
  });

  it("S4-31 of prompts, tool dumps, thanks, pasted memory and an assistant's guesses with one fact among them, run five times, that fact is observed once", async () => {
    const bob = person();
    const pasted =
      '<memory-0a1b2c3d layer="evidence">\nI live in Perth with my dog.\n</memory-0a1b2c3d>';
    const junk = [
      { role: "system", text: "You are a helpful agent. I prefer formal language." },
      user("You are a helpful assistant. I always prefer bullet points."),
      { role: "tool_call", text: '{"q":"I want to"}', tool: "search", call_id: "c" },
      { role: "tool_result", text: "I want to cancel: 12 hits", tool: "search", call_id: "c" },
      { role: "assistant", text: "I think you prefer evenings and you can't walk far." },
      user("ok thanks"),
      user(`${pasted}\nWhat did I say there?`),
      user('```\n{"note": "I prefer tabs"}\n```'),
    ];
    for (let time = 0; time < 5; time += 1) {
      await talk(bob, [
        ...junk,
        user("I can't get to the pharmacy before it closes."),
        ...junk.slice(4),
      ]);
      await m.jobs.run();
    }
    expect(await textsOf(bob)).toEqual(["I can't get to the pharmacy before it closes."]);
  });

  it("S4-31 a sentence that is said in five chats is one observation, though a model words it anew each time", async () => {
    const wordings = [
      "Prefers calls in the morning.",
      "In the morning, prefers calls.",
      "Calls in the morning: prefers.",
      "Prefers morning calls.",
      "Morning calls preferred.",
    ];
    const rae = person();
    for (const text of wordings) {
      await talk(rae, [user(`Hello again. ${MORNING}`)]);
      const services = observing(async ({ turns }) => ({
        observations: [
          {
            dimension: "communication_preference",
            text,
            turn_ids: turns.map(({ id }) => id),
            quotes: [MORNING],
          },
        ],
      }));
      expect(await createJobs(services).run()).toMatchObject({ retry: 0, parked: 0 });
    }
    expect(await textsOf(rae)).toEqual([wordings[0]]);
  });

  it("S4-06 S4-13 an allergy that the person takes back in the next chat is marked as corrected, though that is told as a change", async () => {
    const una = person();
    for (const text of ["I am allergic to penicillin.", "I am no longer allergic to penicillin."]) {
      await talk(una, [user(text)]);
      await m.jobs.run();
      m.clock.forward({ hours: 24 });
    }
    const { run_id } = await m.app().startRun(una, "asking", { route_id: "chat", goal: "Ask" });
    const { hits } = await m.app().recallObservations(run_id, { query: "allergic penicillin" });
    const marks = hits.flatMap((hit) =>
      hit.kind === "observation" ? [[hit.text, hit.superseded_by !== null]] : [],
    );
    expect(marks.sort()).toEqual([
      ["I am allergic to penicillin.", true],
      ["I am no longer allergic to penicillin.", false],
    ]);
  });

  it("S4-02 what an operator says about a patient is the patient's, and nothing is kept about the operator", async () => {
    const patient = person();
    const answer = {
      dimension: "change",
      turn_ids: [] as string[],
      quotes: [] as string[],
      text: "",
    };
    const services = observing(async ({ turns }) => {
      const [said] = turns;
      const of = (text: string) => ({ ...answer, text, turn_ids: [said?.id], quotes: [text] });
      return { observations: [of("She sleeps badly these days."), of("I work nights now.")] };
    });
    const text = "She sleeps badly these days. I work nights now.";
    await talk(patient, [user(text, { speaker: "olga" })]);
    await createJobs(services).run();
    expect(await observationsOf(m, patient)).toMatchObject([
      { text: "She sleeps badly these days.", tier: "inferred", speaker: expect.any(String) },
    ]);
    expect(await observationsOf(m, "olga")).toEqual([]);
    const byItself = person();
    await talk(byItself, [user("I work nights now.", { speaker: "olga" })]);
    await m.jobs.run();
    expect(await observationsOf(m, byItself)).toEqual([]);
  });

  it("S4-02 a turn under another name of the subject's is the subject's own where the application says so, and only there", async () => {
    const patient = person();
    const own = { speaker: "Jane Doe", speaker_is_subject: true };
    await talk(patient, [
      user("Jane Doe: I prefer letters in large print.", { speaker: "olga" }),
      user("I want to walk to the lake.", { speaker: "Jane Doe" }),
      user(MORNING, own),
    ]);
    await m.jobs.run();
    expect(await observationsOf(m, patient)).toMatchObject([
      { text: MORNING, tier: "reported", speaker: expect.any(String) },
    ]);
    const guess = talk(patient, [{ role: "assistant", text: MORNING, ...own }]);
    expect(await refusalOf(guess)).toBe("invalid_input");
    const session = "years ago";
    const past = { session, source_id: "old-1", observed_at: "2020-05-01T08:00:00Z" };
    const row = { ...past, text: "I want to read more books.", ...own };
    await m.app().importTurns(patient, { route_id: "chat", rows: [row] });
    await m.operator().observeSubject(patient, { imported: true });
    await m.jobs.run();
    expect(await textsOf(patient)).toEqual([MORNING, "I want to read more books."]);
  });

  it("S4-09 a tenant's own dimension is observed from then on, nothing from before; its examples show what it takes", async () => {
    const carl = person();
    await talk(carl, [user("We slept well in the new house.")]);
    await m.jobs.run();
    const put = await m.operator().putDimension("sleep", dimensionBody());
    expect(put).toMatchObject({ version: 1, changed: true });
    expect(await m.operator().testDimension("sleep", dimensionBody())).toMatchObject({
      holds: true,
      examples: [
        { example: "preference", observations: [{ dimension: "sleep" }] },
        { example: "correction", observations: [{ dimension: "sleep" }] },
        { example: "nothing", observations: [] },
      ],
    });
    expect(await observationsOf(m, carl)).toEqual([]);
    await talk(carl, [user("We slept badly in the new house.")]);
    await m.jobs.run();
    expect(await observationsOf(m, carl)).toMatchObject([{ dimension: "sleep" }]);
    expect((await m.operator("bank-nz").listDimensions()).dimensions).toHaveLength(6);
    expect((await m.operator().listDimensions()).dimensions).toHaveLength(7);
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

  it("S4-30 what one workspace or route has observed is no other's: neither shown to its observer nor kept there", async () => {
    const fay = person();
    const ward = m.as({ id: "app", roles: ["app"], workspace: "ward" });
    await talk(fay, [user(MORNING)]);
    await m.jobs.run();
    const seen: ObserveSource[] = [];
    const services = observing(async (source) => {
      seen.push(source);
      return await quotes(source);
    });
    await talk(fay, [user("I prefer letters in large print.")], { app: ward });
    await talk(fay, [user("I prefer mails in plain language.")], { route: "other" });
    await createJobs(services).run();
    expect(seen.map(({ known, turns }) => [known.length, turns.length])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const rows = await m.db.query(
      "select count(distinct workspace_id)::int as workspaces, count(distinct route_id)::int as routes from muniment.observation where observation_id = any($1)",
      [(await observationsOf(m, fay)).map(({ id }) => id)],
    );
    expect(rows).toEqual([{ workspaces: 2, routes: 2 }]);
    const operator = m.as({ id: "o", kind: "human", roles: ["operator"], workspace: "ward" });
    expect((await operator.observeSubject(fay, {})).work_ids).toEqual([]);
  });

  it("S5-06 nobody changes an observation: a correction is a later one that names it, and both stay", async () => {
    const gus = person();
    await talk(gus, [user(MORNING)]);
    await m.jobs.run();
    m.clock.forward({ hours: 1 });
    await talk(gus, [user("From now on I prefer calls in the evening instead.")]);
    await m.jobs.run();
    const [first, second, ...others] = await observationsOf(m, gus);
    expect([first?.supersedes, second?.supersedes, others]).toEqual([null, first?.id, []]);
    const may = await m.db.query(
      "select has_table_privilege('muniment_app', 'muniment.observation', 'UPDATE') as may",
    );
    expect(may).toEqual([{ may: false }]);
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

  it("S5-06 an observation that was given another tier or turn in the database doesn't open", async () => {
    const hal = person();
    await talk(hal, [user(MORNING)]);
    await m.jobs.run();
    const [one] = await observationsOf(m, hal);
    const alarms = m.alarms.length;
    await m.db.query(
      "update muniment.observation set tier = 'inferred' where observation_id = $1",
      [one?.id],
    );
    expect(await observationsOf(m, hal)).toEqual([]);
    expect(m.alarms.length).toBeGreaterThan(alarms);
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
    const behind = { outcome: "retry", pauseSeconds: LIMITS.workBehindSeconds };
    expect(await runWork(m.services, second as never)).toEqual(behind);
    let besides: unknown;
    const slow = observing(async (source) => {
      besides ??= await runWork(m.services, second as never);
      return await quotes(source);
    });
    expect(await runWork(slow, first as never)).toEqual({ outcome: "done" });
    expect(besides).toEqual({ outcome: "gone" });
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
        expect(await runWork(m.services, ref)).toMatchObject({ outcome: "gone" });
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
    await m.app().appendTurns(run_id, { turns: [user("I want to walk.")] as Body["turns"] });
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
      await runWork(other, { tenant_id, work_id: work_ids[0] ?? "" });
    });
    expect(await runWork(slow, { tenant_id, work_id: work })).toMatchObject({ outcome: "done" });
    expect(await textsOf(quin)).toEqual(["Prefers morning calls"]);
  });

  it("S4-04 a long session is observed job by job to its end, and what an import brought when it is asked for", async () => {
    const ola = person();
    const { session, run } = await talk(ola, [user("hello there")], { closes: false });
    for (let part = 0; part < 4; part += 1)
      await m.app().appendTurns(run, {
        turns: Array.from({ length: 60 }, () => user("go on")) as Body["turns"],
      });
    await m.app().appendTurns(run, { turns: [user(MORNING)] as Body["turns"] });
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

  it("S4-02 whose name it was is said of an import by forgetting it as expired and taking it in anew", async () => {
    const ida = person();
    const row = { session: "old", source_id: "old-1", speaker: "Ida Doe", text: MORNING };
    const rows = [{ ...row, observed_at: "2020-05-01T08:00:00Z" }];
    const own = rows.map((one) => ({ ...one, role: "user", speaker_is_subject: true }));
    const observed = async () => {
      const { work_ids } = await m.operator().observeSubject(ida, { imported: true });
      await m.jobs.run();
      return work_ids.length;
    };
    await m.app().importTurns(ida, { route_id: "chat", rows });
    expect(await observed()).toBe(1);
    expect(await textsOf(ida)).toEqual([]);
    expect(await m.app().importTurns(ida, { route_id: "chat", rows: own })).toMatchObject({
      imported: 0,
      duplicates: 1,
    });
    const expire = { target: "old", reason: "expire", basis: "clean_up" };
    await m.privacy().eraseScope(ida, "session", expire as never);
    await m.app().importTurns(ida, { route_id: "chat", rows: own });
    expect(await observed()).toBe(1);
    expect(await textsOf(ida)).toEqual([MORNING]);
  });

  it("S4-13 S4-14 what claims a time ahead counts as said when it came here: what is said later corrects it", async () => {
    const zoe = person();
    const row = { session: "ahead", source_id: "ahead-1", text: MORNING };
    const rows = [{ ...row, observed_at: "9999-12-31T00:00:00Z" }];
    await m.app().importTurns(zoe, { route_id: "chat", rows });
    await m.operator().observeSubject(zoe, { imported: true });
    await m.jobs.run();
    const [kept] = await m.db.query<{ readonly observed_at: Date }>(
      "select observed_at from muniment.observation order by observed_at desc limit 1",
    );
    expect(kept?.observed_at.toISOString()).toBe(m.clock.now().toISOString());
    m.clock.forward({ hours: 1 });
    const later = "From now on I prefer calls in the evening instead.";
    await talk(zoe, [user(later)]);
    await m.jobs.run();
    const [first, second] = await observationsOf(m, zoe);
    expect([second?.text, second?.supersedes]).toEqual([later, first?.id]);
    const { body } = await m.operator().readView(zoe, "fold");
    expect(body).toMatchObject({ entries: [{ current: { value: later } }] });
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
