import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

/** Network round trips of each operation once its pin, subject and index are known: what the design promises. */
const PROMISED = {
  append_turns: 1,
  complete_stage: 1,
  write_working: 1,
  write_checkpoint: 1,
  list_turns: 2,
  read_run: 2,
  take_turn: 2,
  recall_turns: 2,
  recall_episodes: 2,
  recall_observations: 2,
  recall_both: 2,
  assemble: 2,
  assemble_with_recall: 2,
  assemble_with_episodes: 2,
  set_preference: 1,
  list_fields: 2,
} as const;

describeEachDatabase("round trips", (database) => {
  let m: TestMuniment;
  let run: string;
  let stages = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("mood", fieldBody());
    await m.operator().putRoute("chat", routeBody({ store_fields: ["mood"] }));
    ({ run_id: run } = await m.app().startRun("jane", "s", { route_id: "chat", goal: "Talk" }));
    for (const use of Object.values(operations())) await use();
  });

  function operations(): Record<keyof typeof PROMISED, () => Promise<unknown>> {
    const app = m.app();
    const turns = [{ role: "user", text: "the walrus sings", speaker: "Jane" }];
    return {
      append_turns: () => app.appendTurns(run, { turns }),
      complete_stage: () => app.completeStage(run, `stage-${stages++}`, { output: 1, turns }),
      write_working: () => app.writeWorking(run, { failures: ["late"] }),
      write_checkpoint: () => app.writeCheckpoint(run, { step: 1_000 + stages++ }),
      list_turns: () => app.listTurns(run, {}),
      read_run: () => app.readRun(run),
      take_turn: () => app.takeTurn("jane", "s", {}),
      recall_turns: () => app.recallTurns(run, { query: "walrus" }),
      recall_episodes: () => app.recallEpisodes(run, { query: "walrus" }),
      recall_observations: () => app.recallObservations(run, { query: "walrus" }),
      recall_both: () => app.recallObservations(run, { query: "walrus", scope: "both" }),
      set_preference: () => m.customer("jane").setPreference("jane", "mood", { value: "calm" }),
      list_fields: () => app.listFields("jane"),
      assemble: () => app.assemble(run, {}),
      assemble_with_recall: () => app.assemble(run, { recall: { query: "walrus" } }),
      assemble_with_episodes: () =>
        app.assemble(run, { recall: { query: "walrus", kinds: ["turn", "episode"] } }),
    };
  }

  it.each(Object.entries(PROMISED))(
    "S1-31 %s takes %i round trips, its audit row included",
    async (name, promised) => {
      const use = operations()[name as keyof typeof PROMISED];
      const before = m.db.flushes();
      await use();
      expect(m.db.flushes() - before).toBe(promised);
    },
  );

  it("S2-18 a candidate that its reviewer has seen is promoted in one, with log and audit row", async () => {
    for (const value of ["brisk", "calm"]) {
      await m.service("settings").proposeField("jane", { field_id: "mood", value });
      const [seen] = (await m.reviewer().listCandidates({})).candidates;
      const before = m.db.flushes();
      await m
        .reviewer()
        .promoteByHuman(seen?.candidate_id ?? "", { value_hash: seen?.value_hash ?? "" });
      expect(m.db.flushes() - before).toBe(1);
    }
  });

  it.each(["recall_turns", "recall_episodes"] as const)(
    "S1-31 %s of a person who stands still takes one, and two from the next write on",
    async (name) => {
      const use = operations()[name];
      const trips = async () => {
        const before = m.db.flushes();
        await use();
        return m.db.flushes() - before;
      };
      for (let look = 0; look < 3; look += 1) await use();
      expect(await trips()).toBe(1);
      await m.app().writeWorking(run, { failures: ["late again"] });
      expect(await trips()).toBe(2);
    },
  );

  it("S4-10 a recall that finds what was said since the last one still takes two", async () => {
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "a walrus again" }] });
    const before = m.db.flushes();
    expect((await m.app().recallTurns(run, { query: "walrus again" })).hits[0]?.text).toBe(
      "a walrus again",
    );
    expect(m.db.flushes() - before).toBeLessThanOrEqual(3);
  });
});
