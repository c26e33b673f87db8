import { beforeAll, expect, it } from "vitest";
import { citedBy, type UserModel } from "../../src/domain/user-model.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { observe } from "../support/observations.js";

const VIEWS = ["clinical_state", "user_model", "fold"];

describeEachDatabase("views", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ views: VIEWS }));
    await m.operator().putRoute("ward", routeBody({ views: VIEWS, recall_from: ["chat"] }));
    await m.operator().putRoute("plain", routeBody({ recall_from: ["chat"] }));
  });

  const someone = () => `person-${people++}`;
  const start = async (person: string, route = "chat", session = "s") =>
    (await m.app().startRun(person, session, { route_id: route, goal: "Talk" })).run_id;
  const record = (person: string, key: string, value: unknown, source_id = "r1") =>
    m.as({ id: "ehr", roles: ["connector"] }).recordEvents(person, {
      events: [
        {
          source: "ehr",
          source_id,
          source_revision: 1,
          kind: "report",
          key,
          value,
          effective_at: "2026-02-01T09:00:00Z",
        },
      ],
    } as never);
  const itemsOf = async (run: string) =>
    (await m.app().assemble(run, {})).items.filter(({ layer }) => layer === "derived");

  const sections = async (run: string) =>
    (await itemsOf(run)).filter(({ kind }) => kind === "user_model").map(({ text }) => text);
  const untimed = async (run: string) =>
    (await sections(run)).map((text) => text.replaceAll(/^- [^ ]+Z: /gm, "- "));
  const minute = () => m.clock.now().toISOString().slice(0, 16);

  it("S4-03 a later session's pack holds the model, a block a section, each with the observations that it rests on", async () => {
    const person = someone();
    const said = await observe(m, await start(person), { text: "I want to walk to the lake" });
    const saidAt = minute();
    m.clock.forward({ hours: 1 });
    await m.jobs.run();
    const next = await start(person, "chat", "next");
    const pack = await m.app().assemble(next, {});
    const item = pack.items.find(({ kind }) => kind === "user_model");
    expect(item).toMatchObject({
      layer: "derived",
      source: [said],
      text: `- ${saidAt}Z: I want to walk to the lake`,
    });
    expect(pack.text).toContain('source="user_model:goals" route="chat" trajectory="stable"');
    const { entries } = await m.app().explainPack(pack.pack_id);
    expect(entries.find(({ kind }) => kind === "user_model")).toMatchObject({ in: true });
  });

  it("S4-03 S4-13 S4-14 night shifts change a morning preference: what a closed session says is in tomorrow's pack, with what it corrects", async () => {
    const person = someone();
    const said: string[] = [];
    const talk = async (session: string, text: string) => {
      const run = await start(person, "chat", session);
      await m.app().appendTurns(run, { turns: [{ role: "user", text }] });
      said.push(minute());
      await m.app().closeSession(person, session, { compress: false });
      m.clock.forward({ hours: 1 });
      expect(await m.jobs.run()).toMatchObject({ done: 2, parked: 0 });
      return m.clock.now().toISOString();
    };
    await talk("one", "I prefer a call in the morning.");
    m.clock.forward({ hours: 20 });
    const processed = await talk("two", "From now on please call me in the evening instead.");
    const run = await start(person, "chat", "three");
    const [section] = (await sections(run)).filter((text) => text.includes("call me"));
    expect(section).toContain(`- ${said[1]}Z: From now on please call me in the evening`);
    const recalled = await m.app().recallTurns(run, { query: "call in the morning" });
    expect(recalled.hits.map(({ text }) => text)).toContain("I prefer a call in the morning.");
    const { sessions, consolidated_at, served_at } = await m.app().readFreshness(person);
    expect(sessions.find(({ session }) => session === "two")).toMatchObject({
      processed_at: processed,
      state: null,
    });
    expect(consolidated_at).toBe(processed);
    expect(served_at).toBe(m.clock.now().toISOString());
  });

  it("S4-03 S1-20 a run is shown sections of the routes that it may read, and none where its route lists no view", async () => {
    const person = someone();
    await observe(m, await start(person), { text: "I want to walk" });
    await observe(m, await start(person, "ward"), { text: "I want to go home" });
    await m.jobs.run();
    const texts = async (route: string) =>
      await untimed(await start(person, route, `see-${route}`));
    expect(await texts("chat")).toEqual(["- I want to walk"]);
    expect(await texts("ward")).toEqual(["- I want to walk", "- I want to go home"]);
    expect(await texts("plain")).toEqual([]);
  });

  it("S4-33 a connector's record stands above what was said, and the pack tells what stands against it", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { dimension: "drug_allergy", text: "No allergies that I know of" });
    await record(person, "drug_allergy", "penicillin");
    await m.jobs.run();
    const current = (await itemsOf(run)).find(({ kind }) => kind === "current_value");
    expect(current?.text).toBe(
      "drug_allergy: penicillin\nAgainst it stands:\n- No allergies that I know of (from conversation, outranked)",
    );
    const { body } = await m.operator().readView(person, "fold");
    expect(body).toMatchObject({
      entries: [
        {
          key: "drug_allergy",
          current: { value: "penicillin", tier: "connector_report" },
          disputed: true,
          others: [{ why: "outranked", tier: "reported" }],
        },
      ],
    });
  });

  it("S4-33 S2-31 structured state comes from connectors alone, stands in every pack, and is dropped by no cap", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to walk" });
    await record(person, "allergy", "penicillin");
    await m.jobs.run();
    const whole = await m.app().assemble(run, {});
    const state = whole.items.find(({ kind }) => kind === "structured_state");
    expect(state?.text).toContain("penicillin");
    const least = whole.items
      .filter(({ kind }) => kind !== "user_model" && kind !== "turn")
      .reduce((sum, { tokens }) => sum + tokens, 60);
    const small = await m.app().assemble(run, { tokens_max: least });
    expect(small.items.map(({ kind }) => kind)).toContain("structured_state");
    expect(small.left_out.map(({ kind }) => kind)).toContain("turn");
  });

  it("S4-23 a view shows nothing that its sources no longer allow, before it is made again", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to forget", days: 0.5 });
    await observe(m, run, { text: "I want to stay" });
    await m.jobs.run();
    m.clock.forward({ hours: 13 });
    expect(await untimed(run)).toEqual(["- I want to stay"]);
    const { body } = await m.operator().readView(person, "user_model");
    expect(JSON.stringify(body)).not.toContain("forget");
    const [turn] = (await m.app().listTurns(run, {})).turns;
    await m.privacy().eraseScope(person, "turn", {
      target: turn?.turn_id ?? "",
      reason: "erase",
      basis: "data_subject_request",
    });
    expect(await itemsOf(run)).toEqual([]);
    expect(await m.operator().readView(person, "user_model")).toMatchObject({ version: null });
  });

  it("S4-14 when a conversation ended, when it was made into the model and when that was served are three times", async () => {
    const person = someone();
    const run = await start(person);
    await observe(m, run, { text: "I want to walk" });
    const pending = await m.app().readFreshness(person);
    expect(pending).toMatchObject({
      consolidated_at: null,
      state: "queued",
      served_at: null,
      pending: { sessions: 0, observations: 1 },
    });
    expect(await m.operator().readView(person, "user_model")).toMatchObject({
      state: "rebuilding",
    });
    m.clock.forward({ hours: 1 });
    await m.jobs.run();
    const consolidated = m.clock.now().toISOString();
    m.clock.forward({ hours: 1 });
    await m.app().assemble(run, {});
    const served = m.clock.now().toISOString();
    m.clock.forward({ hours: 1 });
    await m.app().closeSession(person, "s", { compress: false });
    const fresh = await m.app().readFreshness(person);
    expect(fresh).toMatchObject({
      consolidated_at: consolidated,
      state: null,
      served_at: served,
      pending: { observations: 0 },
      sessions: [{ session: "s", ended_at: m.clock.now().toISOString() }],
    });
    const view = await m.operator().readView(person, "user_model");
    expect(view).toMatchObject({ state: "valid", computed_at: consolidated });
    expect((view.body as UserModel).sections).toHaveLength(1);
  });

  it("S4-23 a view as a whole is for the person and for staff; another workspace has none of it", async () => {
    const person = someone();
    await observe(m, await start(person), { text: "I want to walk" });
    await m.jobs.run();
    expect(await refusalOf(m.app().readView(person, "user_model"))).toBe("denied");
    const { state, body, cited } = await m.customer(person).readView(person, "user_model");
    expect(state).toBe("valid");
    const ids = citedBy((body as UserModel).sections);
    expect(cited).toEqual([{ observation_id: ids[0], observed_at: m.clock.now().toISOString() }]);
    expect(await refusalOf(m.customer("else").readView(person, "user_model"))).toBe("not_found");
    await expect(m.operator().readView(person, "nothing")).rejects.toMatchObject({
      kind: "not_found",
      message: "no such view: there are user_model, fold, clinical_state",
    });
    const elsewhere = m.as({ id: "olga", kind: "human", roles: ["operator"], workspace: "other" });
    expect(await elsewhere.readView(person, "user_model")).toMatchObject({ state: "empty" });
  });
});
