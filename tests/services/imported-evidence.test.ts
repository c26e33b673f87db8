import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { DAY, importsIn, rowsFrom } from "../support/imports.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("imported turns", (database) => {
  let m: TestMuniment;
  const { person, take, runOf, recalled } = importsIn(() => m);

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  it("S4-29 imported turns are evidence alone: no session shows them as its conversation, not their own either", async () => {
    const who = person();
    await take(who, rowsFrom("old chat", "the imported walrus"));
    const run = await runOf(who, "old chat");
    expect((await m.app().listTurns(run, {})).turns).toEqual([]);
    expect((await m.app().assemble(run, {})).items.map((item) => item.kind)).toEqual(["goal"]);
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "hello again" }] });
    expect((await m.app().listTurns(run, {})).turns.map((turn) => turn.text)).toEqual([
      "hello again",
    ]);
    await take(who, rowsFrom("old chat", "x", "y", "a late walrus"));
    expect((await m.app().listTurns(run, {})).turns.map((turn) => turn.text)).toEqual([
      "hello again",
    ]);
    const pack = await m.app().assemble(run, { recall: { query: "walrus" } });
    expect(
      pack.items
        .filter((item) => item.kind === "recalled" && item.text.includes("walrus"))
        .map((item) => [item.layer, item.text]),
    ).toEqual([
      ["evidence", "the imported walrus"],
      ["evidence", "a late walrus"],
    ]);
    m.clock.forward({ hours: 24 });
    const next = await runOf(who, "old chat");
    expect((await m.app().listTurns(next, {})).turns).toEqual([]);
    expect(await recalled(who, "walrus")).toHaveLength(2);
  });

  it("S1-05 an imported turn that its session's live run says again becomes conversation there, where it is said", async () => {
    const who = person();
    await take(who, rowsFrom("live chat", "first walrus", "second walrus"));
    const run = await runOf(who, "live chat");
    expect(await recalled(who, "walrus")).toHaveLength(2);
    const say = (on: string, ...turns: readonly [string, string?][]) =>
      m.app().appendTurns(on, {
        turns: turns.map(([text, source_id]) => ({
          role: "user",
          text,
          ...(source_id === undefined ? {} : { source_id }),
        })),
      });
    const shown = async (on: string) => (await m.app().listTurns(on, {})).turns.toReversed();
    const { turn_ids } = await say(run, ["hello"], ["second walrus", "live chat:1"], ["bye"]);
    expect((await shown(run)).map((turn) => [turn.text, turn.turn_id, turn.seq])).toEqual(
      ["hello", "second walrus", "bye"].map((text, n) => [text, turn_ids[n], n + 3]),
    );
    await say(run, ["again", "live chat:1"]);
    expect((await shown(run)).map(({ text }) => text)).toEqual(["hello", "second walrus", "bye"]);
    const hits = await recalled(who, "walrus");
    expect(hits.map((hit) => [hit.text, hit.source.seq]).toSorted()).toEqual([
      ["first walrus", 1],
      ["second walrus", 4],
    ]);
    expect(await take(who, rowsFrom("live chat", "x", "y"))).toMatchObject({ duplicates: 2 });
    m.clock.forward({ hours: 24 });
    const next = await runOf(who, "live chat");
    await say(next, ["first walrus", "live chat:0"], ["second walrus", "live chat:1"]);
    expect((await shown(next)).map(({ text }) => text)).toEqual(["first walrus"]);
  });

  it("S1-09 an imported turn stays evidence of its own session where another one says its source again", async () => {
    const who = person();
    await take(who, rowsFrom("old chat", "a walrus"));
    const say = async (session: string, text: string, source_id?: string) => {
      const run = await runOf(who, session);
      const source = source_id === undefined ? {} : { source_id };
      await m.app().appendTurns(run, { turns: [{ role: "user", text, ...source }] });
      return async () => (await m.app().listTurns(run, {})).turns.map((turn) => turn.text);
    };
    // Both sessions stand in their second epoch then.
    await say("new chat", "earlier");
    m.clock.forward({ hours: 24 });
    const old = await say("old chat", "hello");
    await say("new chat", "one");
    const fresh = await say("new chat", "a walrus", "old chat:0");
    expect(await fresh()).toEqual(["one"]);
    expect(await old()).toEqual(["hello"]);
    expect(await recalled(who, "walrus")).toHaveLength(1);
    expect(m.alarms).toEqual([]);
  });

  it("S4-29 an imported turn of any role is evidence, and recall shows the role", async () => {
    const who = person();
    const rows = (["user", "assistant", "system", "tool_call", "tool_result"] as const).map(
      (role) => ({
        session: "old",
        source_id: role,
        role,
        text: `the walrus as ${role}`,
        observed_at: DAY,
        ...(role.startsWith("tool_") ? { tool: "look", call_id: "c1" } : {}),
      }),
    );
    expect((await take(who, rows)).imported).toBe(5);
    const roles = (await recalled(who, "walrus")).map((hit) => hit.role);
    expect(roles.sort()).toEqual(["assistant", "system", "tool_call", "tool_result", "user"]);
  });

  it("S4-29 an import moves no idle clock and makes no run that could be taken up", async () => {
    const who = person();
    const run = await runOf(who, "chat");
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "hello" }] });
    m.clock.forward({ hours: 23 });
    await take(who, rowsFrom("chat", "imported"));
    m.clock.forward({ hours: 1 });
    expect((await m.app().listTurns(run, {})).turns).toEqual([]);
    await take(who, rowsFrom("only imported", "imported too"));
    expect(await refusalOf(m.app().takeTurn(who, "only imported", {}))).toBe("run_ended");
  });

  it("S4-29 evidence ends by its own clock, which starts when it was recorded and not when it was said", async () => {
    const who = person();
    const times = [
      "0001-01-01T00:00:00Z",
      "1970-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "2026-03-11T09:00:00Z",
    ];
    const rows = times.map((observed_at, n) => ({
      session: "s",
      source_id: `${n}`,
      text: `walrus ${n}`,
      observed_at,
    }));
    expect(await take(who, rows)).toMatchObject({ imported: 4 });
    const hits = await recalled(who, "walrus");
    expect(hits.map((hit) => hit.observed_at.slice(0, 10)).toSorted()).toEqual(
      times.map((time) => time.slice(0, 10)).toSorted(),
    );
    expect(hits.every((hit) => Number.isFinite(hit.score))).toBe(true);
    const run = await runOf(who);
    const pack = await m.app().assemble(run, { recall: { query: "walrus" } });
    expect(pack.items.filter((item) => item.kind === "recalled").map((item) => item.text)).toEqual([
      "walrus 0",
      "walrus 1",
      "walrus 3",
      "walrus 2",
    ]);
    expect(pack.text).not.toMatch(/NaN|Invalid|undefined/);
    m.clock.forward({ hours: 24 * 364 });
    expect(await recalled(who, "walrus")).toHaveLength(4);
    m.clock.forward({ hours: 24 });
    expect(await recalled(who, "walrus")).toEqual([]);
  });

  it("S1-20 imported turns belong to the route that they were imported under", async () => {
    const who = person();
    await m.operator().putRoute("apart", routeBody());
    await take(who, rowsFrom("s", "the walrus"));
    const { run_id } = await m.app().startRun(who, "t", { route_id: "apart", goal: "x" });
    expect((await m.app().recallTurns(run_id, { query: "walrus" })).hits).toEqual([]);
  });
});
