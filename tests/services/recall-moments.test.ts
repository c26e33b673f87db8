import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("the moment of a recall", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("fee_explain", routeBody());
  });

  async function start(subject: string, route_id: string, session: string) {
    return (await m.app().startRun(subject, session, { route_id, goal: "Ask" })).run_id;
  }

  it("S1-14 S1-20 recalled turns are packed only where they were asked for", async () => {
    const earlier = await start("lou", "fee_explain", "s1");
    await m.app().appendTurns(earlier, { turns: [{ role: "user", text: "the walrus fee" }] });
    const run = await start("lou", "fee_explain", "s2");
    expect((await m.app().assemble(run, {})).items.some((item) => item.kind === "recalled")).toBe(
      false,
    );
    const pack = await m.app().assemble(run, { recall: { query: "walrus" } });
    expect(pack.items.filter((item) => item.kind === "recalled").map((item) => item.text)).toEqual([
      "the walrus fee",
    ]);
    expect((await m.app().assemble(run, {})).items.some((item) => item.kind === "recalled")).toBe(
      false,
    );
  });

  it("S1-14 outside its pattern's moment recall is refused: no recall tool in a loop, no recall stage in a workflow", async () => {
    const stages = [
      { stage_id: "plan", tools: [] },
      { stage_id: "look", tools: [], recall: true },
    ];
    await m.operator().putRoute("loop_without", routeBody({ autonomy: 1, tools: [] }));
    await m.operator().putRoute("workflow", routeBody({ autonomy: 2, stages }));
    expect(
      await refusalOf(
        m.app().recallTurns(await start("lou", "loop_without", "p1"), { query: "x" }),
      ),
    ).toBe("denied");
    const run = await start("lou", "workflow", "p2");
    expect(await refusalOf(m.app().recallTurns(run, { query: "x" }))).toBe("denied");
    await m.app().completeStage(run, "plan", { output: {} });
    expect((await m.app().recallTurns(run, { query: "x" })).outcome).toBe("no_matches");
    m.clock.forward({ hours: 24 });
    expect(await refusalOf(m.app().recallTurns(run, { query: "x" }))).toBe("denied");
  });

  it("S1-18 an agent doesn't choose its recall moment: neither a checkpoint nor a stage out of order moves it", async () => {
    const tools = ["recall_turns"];
    const stages = [
      { stage_id: "plan", tools: [] },
      { stage_id: "look", tools },
      { stage_id: "write", tools: [] },
      { stage_id: "check", tools },
    ];
    await m.operator().putRoute("staged", routeBody({ autonomy: 3, stages, tools }));
    const run = await start("lou", "staged", "p3");
    const agent = m.as({ id: "agent", kind: "agent", subject: "lou", session: "p3", run });
    const ask = async () => {
      const packed = await refusalOrNone(agent.assemble(run, { recall: { query: "x" } }));
      expect(await refusalOrNone(agent.recallTurns(run, { query: "x" }))).toBe(packed);
      return packed;
    };
    await agent.writeCheckpoint(run, { step: 1, resume_index: 1 });
    expect((await m.app().readRun(run)).resume_index).toBe(0);
    expect(await ask()).toBe("denied");
    await agent.completeStage(run, "write", { output: 3 });
    expect(await ask()).toBe("denied");
    await agent.completeStage(run, "plan", { output: 1 });
    expect(await ask()).toBe("none");
    await agent.completeStage(run, "look", { output: 2 });
    expect(await ask()).toBe("none");
    await agent.completeStage(run, "check", { output: 4 });
    expect(await ask()).toBe("denied");
  });

  it("S1-17 a workflow that keeps no working memory stays in its first stage", async () => {
    const look = { stage_id: "look", tools: [], recall: true };
    const plan = { stage_id: "plan", tools: [] };
    const profile = { working: "none" };
    await m
      .operator()
      .putRoute("look_first", routeBody({ autonomy: 2, stages: [look, plan], profile }));
    await m
      .operator()
      .putRoute("look_later", routeBody({ autonomy: 2, stages: [plan, look], profile }));
    const [first, later] = [
      await start("lou", "look_first", "p4"),
      await start("lou", "look_later", "p5"),
    ];
    await m.app().writeCheckpoint(later, { step: 1, resume_index: 1 });
    expect(await refusalOrNone(m.app().recallTurns(first, { query: "x" }))).toBe("none");
    expect(await refusalOrNone(m.app().recallTurns(later, { query: "x" }))).toBe("denied");
  });
});

async function refusalOrNone(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "none",
    (error: unknown) => refusalOf(Promise.reject(error)),
  );
}
