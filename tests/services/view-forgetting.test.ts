import { beforeAll, expect, it } from "vitest";
import type { UserModel } from "../../src/domain/user-model.js";
import { describeEachDatabase } from "../setup/databases.js";
import { observationsOf } from "../support/kept-observations.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const GOAL = "I want to move to Ravenholt.";
const AT = "2026-02-01T09:00:00Z";

describeEachDatabase("forgetting what was observed", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const stages = [{ stage_id: "plan", tools: [] }];
    await m.operator().putRoute("chat", routeBody());
    for (const view of ["user_model", "fold"])
      await m
        .operator()
        .putRoute(view, routeBody({ views: [view], stages, recall_from: ["chat"] }));
  });

  const someone = () => `person-${people++}`;
  const forget = (person: string, scope: "turn" | "session" | "source", target: string) =>
    m.privacy().eraseScope(person, scope, { target, reason: "erase" });
  const record = (person: string, source_id: string, kind: string, value: unknown, key = "goals") =>
    m.service("connector").recordEvents(person, {
      events: [
        { source: "crm", source_id, source_revision: 1, kind, key, value, effective_at: AT },
      ],
    } as never);
  const told = async (person: string) =>
    (
      (await m.operator().readView(person, "user_model")).body as unknown as UserModel
    ).sections.flatMap(({ statements }) => statements.map(({ text }) => text));
  const textsOf = async (person: string) =>
    (await observationsOf(m, person)).map(({ text }) => text);

  /** Says it in a session that is closed and observed; ids of its turns. */
  async function say(person: string, session: string, ...texts: string[]) {
    const { run_id } = await m.app().startRun(person, session, { route_id: "chat", goal: "Talk" });
    const turns = texts.map((text, place) => ({
      role: "user" as const,
      text,
      source_id: `${session}-${place}`,
    }));
    const { turn_ids } = await m.app().appendTurns(run_id, { turns });
    await m.app().closeSession(person, session, { compress: false });
    await m.jobs.run();
    m.clock.forward({ hours: 1 });
    return turn_ids;
  }

  /** A run that is shown a view, and writes what it makes of it. */
  async function shown(person: string, view: string, word: string) {
    const start = { route_id: view, goal: "Plan" };
    const { run_id: run } = await m.app().startRun(person, `${view}-session`, start);
    const { pack_id: pack, text } = await m.app().assemble(run, {});
    expect(text).toContain(word);
    await m.app().completeStage(run, "plan", { output: { about: word }, notes: [word] });
    return { run, pack };
  }

  const written = async (run: string) =>
    await m.db.query(
      `select class as kind from muniment.working where run_id = $1 and class <> 'contract'
       union all select 'checkpoint' from muniment.checkpoint where run_id = $1 order by 1`,
      [run],
    );

  it.each(["turn", "session", "source"] as const)(
    "S5-08 S5-13 a %s that is forgotten goes with what a run wrote that was shown it as the person's model or as a current value",
    async (scope) => {
      const person = someone();
      const [turn = ""] = await say(person, "old", GOAL);
      await record(person, "c1", "report", "stay in town");
      const runs = [
        await shown(person, "user_model", "Ravenholt"),
        await shown(person, "fold", "Against it stands:"),
      ];
      for (const { run } of runs)
        expect(await written(run)).toMatchObject(
          ["checkpoint", "note", "slot"].map((kind) => ({ kind })),
        );
      const target = { turn, session: "old", source: "old-0" }[scope];
      const receipt = await forget(person, scope, target);
      expect(await m.privacy().verifyErasure(receipt.erasure_id, {})).toMatchObject({ ok: true });
      for (const { run, pack } of runs) {
        expect(await written(run)).toEqual([]);
        expect(await m.app().explainPack(pack)).toMatchObject({ valid: false });
      }
    },
  );

  it("S5-08 S5-13 a record that stood against a current value goes with what a run wrote that was shown both", async () => {
    const person = someone();
    await record(person, "c1", "measurement", "stay in town");
    await record(person, "c2", "report", "move to Ravenholt");
    const { run, pack } = await shown(person, "fold", "Ravenholt");
    await forget(person, "source", "crm/c2");
    expect(await written(run)).toEqual([]);
    expect(await m.app().explainPack(pack)).toMatchObject({ valid: false });
  });

  it.each([
    ["in another session", ["one", "two"]],
    ["twice in one session", ["one", "one"]],
  ])(
    "S4-29 S5-08 what was said %s too is observed again when one source of it is forgotten",
    async (_, [first = "", second = ""]) => {
      const person = someone();
      const allergy = "I can't take penicillin, I am allergic to it.";
      const texts = first === second ? [allergy, allergy] : [allergy];
      const [turn = ""] = await say(person, first, ...texts);
      if (first !== second) await say(person, second, allergy);
      expect(await textsOf(person)).toEqual([allergy]);
      await forget(person, "turn", turn);
      expect(await textsOf(person)).toEqual([]);
      await m.jobs.run();
      expect(await textsOf(person)).toEqual([allergy]);
      expect(await told(person)).toEqual([allergy]);
    },
  );

  it("S4-29 a session that was closed unobserved stays so when what another one said is forgotten", async () => {
    const person = someone();
    const start = { route_id: "chat", goal: "Talk" };
    const { run_id } = await m.app().startRun(person, "private", start);
    await m.app().appendTurns(run_id, { turns: [{ role: "user", text: GOAL }] });
    await m.app().closeSession(person, "private", { compress: false, observe: false });
    const [turn = ""] = await say(person, "open", GOAL);
    await forget(person, "turn", turn);
    await m.jobs.run();
    expect(await textsOf(person)).toEqual([]);
  });

  it("S5-06 S5-08 an observation that corrects a forgotten one goes with it, and is made again without it in sight", async () => {
    const person = someone();
    await say(person, "one", "I prefer calls in the morning, I work nights at Ravenholt.");
    await say(person, "two", "From now on I prefer calls in the evening instead.");
    await say(person, "three", "From now on I prefer calls at noon instead.");
    const before = await observationsOf(m, person);
    expect(before.map(({ supersedes }) => supersedes)).toEqual([
      null,
      before[0]?.id,
      before[1]?.id,
    ]);
    await forget(person, "session", "one");
    expect(await textsOf(person)).toEqual([]);
    await m.jobs.run();
    const after = await observationsOf(m, person);
    expect(after.map(({ text }) => text).toSorted()).toEqual([
      "From now on I prefer calls at noon instead.",
      "From now on I prefer calls in the evening instead.",
    ]);
    const gone = before.map(({ id }) => id);
    expect(gone).not.toContain(after.find(({ supersedes }) => supersedes !== null)?.supersedes);
  });
});
