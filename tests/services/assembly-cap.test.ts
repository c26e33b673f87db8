import { beforeAll, expect, it } from "vitest";
import { MunimentError } from "../../src/domain/errors.js";
import { describeEachDatabase } from "../setup/databases.js";
import { runsIn, said } from "../support/full-run.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

describeEachDatabase("the cap of a pack", (database) => {
  let m: TestMuniment;
  const { start, full } = runsIn(() => m);

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ tokens_max: 8_000 }));
    await m.operator().putRoute("vast", routeBody({ tokens_max: 1_000_000 }));
  });

  it("S2-05 overflow drops scratch, then older turns; failures, goal and slots stay whatever the cap", async () => {
    const { run } = await full();
    const more = Array.from({ length: 20 }, (_, n) => said(`turn ${n} ${"word ".repeat(20)}`));
    await m.app().appendTurns(run, { turns: more });
    const whole = await m.app().assemble(run, {});
    let before = whole.items.length + 1;
    let scratchIsOut = false;
    for (let cap = whole.tokens; cap > 0; cap = Math.floor(cap * 0.8)) {
      const call = m.app().assemble(run, { tokens_max: cap });
      const pack = await call.catch((error: unknown) => error);
      if (pack instanceof Error) {
        expect(pack).toMatchObject({ kind: "cap_too_small" });
        expect(await refusalOf(m.app().assemble(run, { tokens_max: cap - 1 || 1 }))).toBe(
          "cap_too_small",
        );
        break;
      }
      const { items, left_out, tokens, text } = pack as typeof whole;
      expect(tokens).toBeLessThanOrEqual(cap);
      expect(m.services.countTokens(text)).toBeLessThanOrEqual(cap);
      expect(items.length).toBeLessThanOrEqual(before);
      before = items.length;
      expect(items.length + left_out.length).toBe(whole.items.length);
      expect(items.filter((item) => item.kind === "failure")).toHaveLength(2);
      for (const kind of ["goal", "contract", "criterion", "artifact", "slot"])
        expect(items.some((item) => item.kind === kind)).toBe(true);
      const turns = items.filter((item) => item.kind === "turn").map((item) => item.text);
      const all = whole.items.filter((item) => item.kind === "turn").map((item) => item.text);
      expect(turns).toEqual(all.slice(all.length - turns.length));
      scratchIsOut ||= items.every((item) => item.kind !== "scratch");
      if (turns.length < all.length) expect(scratchIsOut).toBe(true);
    }
    expect(scratchIsOut).toBe(true);
  });

  it("S2-05 a cap below what may not be dropped is an error that says both numbers, and nothing is stored", async () => {
    const { run } = await full();
    const before = await m.db.query("select count(*)::int as n from muniment.pack");
    for (const tokens_max of [1, 50]) {
      const refusal = await refusedWith(m.app().assemble(run, { tokens_max }));
      expect(refusal.kind).toBe("cap_too_small");
      expect(refusal.message).toMatch(new RegExp(`needs \\d+ tokens, the cap is ${tokens_max}`));
    }
    expect(await m.db.query("select count(*)::int as n from muniment.pack")).toEqual(before);
  });

  it("S2-05 a huge cap doesn't empty the context, and one above the route's is refused", async () => {
    const { run } = await start("vast");
    await m.app().appendTurns(run, { turns: [said("hello")] });
    expect((await m.app().assemble(run, { tokens_max: 1_000_000 })).items).toHaveLength(2);
    for (const tokens_max of [600_000_000, 1_000_001])
      expect(await refusedWith(m.app().assemble(run, { tokens_max }))).toMatchObject({
        kind: "invalid_input",
        field: "tokens_max",
      });
    const small = await start();
    expect(await refusedWith(m.app().assemble(small.run, { tokens_max: 8_001 }))).toMatchObject({
      kind: "invalid_input",
    });
  });

  it("S2-05 100 memories of 40 tokens under a cap of 500: never above it, and what was left out is told", async () => {
    const { run } = await start();
    for (let n = 0; n < 100; n += 50)
      await m.app().appendTurns(run, {
        turns: Array.from({ length: 50 }, (_, k) => said(`memory ${n + k} ${"tea ".repeat(36)}`)),
      });
    const pack = await m.app().assemble(run, { tokens_max: 500 });
    expect(m.services.countTokens(pack.text)).toBeLessThanOrEqual(500);
    expect(pack.items.filter((item) => item.kind === "turn").length).toBeGreaterThan(2);
    expect(pack.left_out.every((out) => out.why === "over_cap")).toBe(true);
    expect(pack.items.length + pack.left_out.length).toBe(101);
  });

  it("S2-39 a whole transcript is never the pack: older turns of a long chat aren't even looked at", async () => {
    const { run } = await start("vast");
    for (let n = 0; n < 250; n += 50)
      await m
        .app()
        .appendTurns(run, { turns: Array.from({ length: 50 }, (_, k) => said(`turn ${n + k}`)) });
    const turns = (await m.app().assemble(run, {})).items.filter((item) => item.kind === "turn");
    expect(turns).toHaveLength(200);
    expect(turns.at(-1)?.text).toBe("turn 249");
  });

  it("S2-05 tool calls and their results come and go together at every cap, parallel ones too", async () => {
    const { run } = await start();
    const call = (id: string) => ({
      role: "tool_call",
      text: `{"q":"${id}"}`,
      tool: "look",
      call_id: id,
    });
    const result = (id: string) => ({
      role: "tool_result",
      text: `found ${id} ${"x ".repeat(30)}`,
      tool: "look",
      call_id: id,
    });
    await m.app().appendTurns(run, {
      turns: [said("go"), call("c1"), result("c1"), said("one", "assistant")],
    });
    await m.app().appendTurns(run, {
      turns: [
        said("both"),
        call("c2"),
        call("c3"),
        result("c3"),
        result("c2"),
        said("two", "assistant"),
      ],
    });
    await m
      .app()
      .appendTurns(run, { turns: [said("dangling"), call("c4"), said("are you there?")] });
    const { tokens } = await m.app().assemble(run, {});
    for (let cap = tokens; cap >= 100; cap -= 17) {
      const pack = await m
        .app()
        .assemble(run, { tokens_max: cap })
        .catch((error: unknown) => {
          if (error instanceof MunimentError && error.kind === "cap_too_small") return null;
          throw error;
        });
      if (pack === null) break;
      const open = new Set<string>();
      for (const message of pack.messages) {
        if ("tool_calls" in message) for (const made of message.tool_calls) open.add(made.id);
        else if (message.role === "tool") expect(open.delete(message.tool_call_id)).toBe(true);
        else expect([...open]).toEqual([]);
      }
      expect([...open]).toEqual([]);
      expect(JSON.stringify(pack.messages)).not.toContain("c4");
      expect(pack.left_out).toContainEqual(expect.objectContaining({ why: "call_without_result" }));
      if (pack.items.some((item) => item.kind === "turn"))
        expect(pack.messages.at(-1)?.content).toBe("are you there?");
    }
  });

  it("S2-05 a chat that broke off in a tool call goes on after a resume, in one request", async () => {
    const { run, session } = await start();
    await m.app().appendTurns(run, {
      turns: [said("go"), { role: "tool_call", text: "{}", tool: "t", call_id: "c" }],
    });
    await m.app().failRun(run, { code: "closed_tab" });
    expect(await refusalOf(m.app().takeTurn("jane", session, { turns: [said("hi")] }))).toBe(
      "run_ended",
    );
    const before = await m.app().readRun(run);
    const turn = await m
      .app()
      .takeTurn("jane", session, { resume: true, turns: [said("I am back")] });
    expect(turn).toMatchObject({ resumed: true, state: "active", version: before.version + 2 });
    expect(turn.turn_ids).toHaveLength(1);
    expect((await m.app().readRun(run)).version).toBe(turn.version);
    const { messages } = await m.app().assemble(run, {});
    expect(messages.at(-1)).toEqual({ role: "user", content: "I am back" });
    expect(JSON.stringify(messages)).not.toContain('"tool_calls"');
    const next = await m.app().takeTurn("jane", session, { turns: [said("and?")] });
    await m.app().closeRun(run, { expected_version: next.version });
  });
});
