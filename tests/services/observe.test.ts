import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { ObserveSource } from "../../src/domain/observation.js";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import { dimensionBody, refusalOf, type TestMuniment } from "../support/muniment.js";
import { MORNING, openTalks, quotes, talksIn, user } from "../support/talks.js";

describeEachDatabase("observe", (database) => {
  let m: TestMuniment;
  const { person, talk, textsOf, observing } = talksIn(() => m);

  beforeAll(async () => {
    m = await openTalks(database);
  });

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
});
