import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import {
  type At,
  goodCallWorks,
  HALF,
  JSONS,
  NUL,
  openInputs,
  refusedByName,
  SECRET,
  TEXTS,
} from "../support/input-places.js";
import { refusalOf, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const BAD_TEXTS: readonly [string, unknown][] = [
  ["a NUL", NUL],
  ["half of a surrogate pair", HALF],
  ["31 marks in a row", `${SECRET}${"\u0316".repeat(31)}`],
  ["nothing", ""],
  ["spaces", "   \n\t"],
  ["a zero-width space", "\u200b"],
  ["empty Braille patterns", "\u2800\u2800"],
  ["fillers of Hangul", "\u3164\u115f"],
  ["only a NUL", "\u0000"],
  ["null", null],
  ["a number", Number("725653563933458432")],
  ["a list", [SECRET]],
  ["an object", { $ne: null }],
  ["a bigint", 10n],
];

describeEachDatabase("input", (database) => {
  let m: TestMuniment;
  let at: At;

  beforeAll(async () => {
    ({ m, at } = await openInputs(database));
  });

  it.each(BAD_TEXTS)(
    "S5-12 text that is %s is refused wherever it would be kept or searched",
    async (_, value) => {
      for (const [field, call] of TEXTS) await refusedByName(call(at, value), field);
      await goodCallWorks(m, at);
    },
  );

  it("S5-12 text above its limit is refused; a character of two units is never cut", async () => {
    for (const [field, call] of TEXTS) await refusedByName(call(at, SECRET.repeat(14_000)), field);
    const { run_id } = await at.app.startRun("jane", "long", { route_id: "chat", goal: "x" });
    const text = `${"a".repeat(63_998)}🔥`;
    await at.app.appendTurns(run_id, {
      turns: [{ role: "user", text, speaker: "👨‍👩‍👧 🇵🇹 e\u0301" }],
    });
    expect((await at.app.listTurns(run_id, {})).turns[0]?.text).toBe(text);
    await refusedByName(
      at.app.appendTurns(run_id, { turns: [{ role: "user", text: `a${text}` }] }),
      "turns.0.text",
    );
    expect((await at.app.assemble(run_id, {})).text.isWellFormed()).toBe(true);
  });

  it.each(["🔥", ".", "名", "0", "null", "undefined", "[object Object]"])(
    "S5-12 the short text %j is kept as it is",
    async (text) => {
      await at.app.appendTurns(at.run, { turns: [{ role: "user", text }] });
      expect((await at.app.listTurns(at.run, { limit: 1 })).turns[0]?.text).toBe(text);
    },
  );

  it("S3-02 a tool's call and its answer may be empty: they are kept, and stay a pair", async () => {
    const { run_id } = await at.app.startRun("jane", "tools", { route_id: "chat", goal: "x" });
    const tool = { tool: "look", call_id: "c1" };
    await at.app.appendTurns(run_id, {
      turns: [
        { role: "tool_call", text: "", ...tool },
        { role: "tool_result", text: "", ...tool },
      ],
    });
    expect(
      (await at.app.assemble(run_id, {})).items.filter((item) => item.kind === "turn"),
    ).toHaveLength(2);
    await refusedByName(
      at.app.appendTurns(run_id, { turns: [{ role: "tool_call", text: NUL, ...tool }] }),
      "turns.0.text",
    );
  });

  it.each([
    "userId",
    "user_id",
    "subject",
    "subject_id",
    "tenant",
    "tenant_id",
    "session_id",
    "workspace",
    "run_id",
  ])("S1-04 `%s` in a body is refused as a scope by every operation", async (key) => {
    const extra = { [key]: SECRET };
    const turn = { role: "user", text: "x" };
    const calls: readonly [string, () => Promise<unknown>][] = [
      [key, () => at.app.startRun("jane", "home", { route_id: "chat", goal: "x", ...extra })],
      [key, () => at.app.takeTurn("jane", "home", extra)],
      [key, () => at.app.appendTurns(at.run, { turns: [turn], ...extra })],
      [`turns.0.${key}`, () => at.app.appendTurns(at.run, { turns: [{ ...turn, ...extra }] })],
      [key, () => at.app.listTurns(at.run, extra)],
      [key, () => at.app.writeWorking(at.run, extra)],
      [key, () => at.app.completeStage(at.run, "s", { output: 1, ...extra })],
      [key, () => at.app.writeCheckpoint(at.run, { step: 1, ...extra })],
      [key, () => at.app.failRun(at.run, { code: "x", ...extra })],
      [key, () => at.app.closeRun(at.run, extra)],
      [key, () => at.app.handoffSlots(at.run, { from_run: at.run, slots: ["s"], ...extra })],
      [
        key,
        () => at.app.projectChild(at.run, { route_id: "chat", goal: "x", slots: [], ...extra }),
      ],
      [key, () => at.app.assemble(at.run, extra)],
      [`recall.${key}`, () => at.app.assemble(at.run, { recall: { query: "x", ...extra } })],
      [key, () => at.app.recallTurns(at.run, { query: "x", ...extra })],
      [key, () => at.app.importTurns("jane", { route_id: "chat", rows: [{}], ...extra })],
      [key, () => at.app.listRoutes(extra)],
      [key, () => m.operator().readAudit(extra)],
    ];
    for (const [field, call] of calls) await refusedByName(call(), field, "scope_in_input");
    expect((await at.app.readRun(at.run)).state).toBe("active");
  });

  it.each(["colour", "filters", "metadata", "created_at", "id", "constructor", "toString"])(
    "S5-12 the unknown key `%s` is refused by its name, a key that is somebody's text isn't repeated",
    async (key) => {
      const extra = { [key]: SECRET };
      await refusedByName(at.app.recallTurns(at.run, { query: "x", ...extra }), key);
      await refusedByName(
        at.app.assemble(at.run, { recall: { query: "x", ...extra } }),
        `recall.${key}`,
      );
      const turns = [{ role: "user", text: "x", ...extra }];
      await refusedByName(at.app.appendTurns(at.run, { turns }), `turns.0.${key}`);
      const odd = await refusedWith(
        at.app.recallTurns(at.run, { query: "x", [`my ${SECRET}`]: 1 }),
      );
      expect(odd).toMatchObject({ kind: "invalid_input", field: "?" });
    },
  );

  it("S5-12 what is given twice, or stands outside of the route, is refused by its place", async () => {
    const criterion = (criterion_id: string, version: number) => ({ criterion_id, version });
    const { app, run } = at;
    const calls: readonly [() => Promise<unknown>, string][] = [
      [
        () => app.writeWorking(run, { criteria: [criterion("a", 1), criterion("a", 2)] }),
        "criteria.1.criterion_id",
      ],
      [
        () => app.writeWorking(run, { scratch: [{ ref: "a" }, { ref: "b" }, { ref: "a" }] }),
        "scratch.2.ref",
      ],
      [() => app.completeStage(run, "__proto__", { output: 1 }), "stage_id"],
    ];
    for (const [call, field] of calls)
      expect(await refusedWith(call())).toMatchObject({ kind: "invalid_input", field });
  });

  it.each([null, undefined, "text", 7, [], true, Symbol("x")])(
    "S5-12 the body %o is refused by every write",
    async (body) => {
      const calls = [
        at.app.startRun("jane", "home", body),
        at.app.appendTurns(at.run, body),
        at.app.completeStage(at.run, "s", body),
        at.app.recallTurns(at.run, body),
        at.app.importTurns("jane", body),
        m.operator().putRoute("chat", body),
      ];
      expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => "invalid_input"));
    },
  );

  it("S5-12 a body's size is bounded: turns, notes, items and rows", async () => {
    const turns = Array.from({ length: 65 }, () => ({ role: "user", text: "x" }));
    await refusedByName(at.app.appendTurns(at.run, { turns }), "turns");
    await refusedByName(at.app.appendTurns(at.run, { turns: [] }), "turns");
    const notes = Array.from({ length: 33 }, () => "x");
    await refusedByName(at.app.completeStage(at.run, "s", { output: 1, notes }), "notes");
    const failures = Array.from({ length: 257 }, () => "x");
    await refusedByName(at.app.writeWorking(at.run, { failures }), "failures");
    const rows = Array.from({ length: 501 }, () => ({}));
    await refusedByName(at.app.importTurns("jane", { route_id: "chat", rows }), "rows");
    await refusedByName(at.app.importTurns("jane", { route_id: "chat", rows: [] }), "rows");
  });

  it("S1-36 a credential is refused by the field that it stands in", async () => {
    const token = `Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N ${SECRET}`;
    for (const [field, call] of TEXTS.slice(0, -2)) {
      const refusal = await refusedWith(call(at, token));
      expect([refusal.kind, refusal.field?.split(".")[0]]).toEqual([
        "credential_in_text",
        field.split(".")[0],
      ]);
      expect(refusal.message).not.toContain("sentinel");
    }
    for (const [field, call] of JSONS.slice(0, 2))
      expect(await refusedWith(call(at, { deep: [token] }))).toMatchObject({
        kind: "credential_in_text",
        field,
      });
    await goodCallWorks(m, at);
  });

  it("S2-39 a model's reasoning is refused in every layer; what a person wrote is the person's", async () => {
    const thought = "<think>the customer is 30 and likes blue</think> Your fee is $42.";
    const calls = [
      at.app.appendTurns(at.run, { turns: [{ role: "assistant", text: thought }] }),
      at.app.takeTurn("jane", "home", { turns: [{ role: "assistant", text: thought }] }),
      at.app.appendTurns(at.run, {
        turns: [{ role: "tool_result", text: thought, tool: "t", call_id: "c" }],
      }),
      at.app.completeStage(at.run, "s", { output: { text: thought } }),
      at.app.completeStage(at.run, "s", { output: 1, notes: [thought] }),
      at.app.writeWorking(at.run, { failures: [thought] }),
      at.app.writeCheckpoint(at.run, { step: 3, observations: [thought] }),
      at.app.startRun("nobody yet", "s", { route_id: "chat", goal: thought }),
      at.app.projectChild(at.run, { route_id: "chat", goal: thought, slots: [] }),
    ];
    expect(await Promise.all(calls.map(refusalOf))).toEqual(calls.map(() => "invalid_input"));
    const rows = [
      {
        session: "t",
        source_id: "t",
        role: "assistant",
        text: thought,
        observed_at: "2020-01-01T00:00:00Z",
      },
    ];
    expect(await at.app.importTurns("jane", { route_id: "chat", rows })).toMatchObject({
      refused: 1,
      imported: 0,
    });
    await at.app.appendTurns(at.run, {
      turns: [{ role: "user", text: "what does <think> mean?" }],
    });
  });

  it("S5-12 a request that is refused for what it says leaves neither a person nor a chat behind", async () => {
    const count = () =>
      m.db.query(
        "select (select count(*) from muniment.subject) as a, (select count(*) from muniment.session) as b",
      );
    const before = await count();
    const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    for (const body of [
      { route_id: "chat", goal: token },
      { route_id: "chat", goal: "" },
      { route_id: "none", goal: "x" },
      {},
    ])
      await refusedWith(at.app.startRun("unheard of", "s", body));
    await refusedWith(
      m
        .as({ id: "r", roles: ["reader"] })
        .startRun("unheard of", "s", { route_id: "chat", goal: "x" }),
    );
    await refusedWith(at.app.takeTurn("unheard of", "s", {}));
    await refusedWith(at.app.startRun("jane", "new chat", { route_id: "chat", goal: token }));
    await at.app.importTurns("unheard of", { route_id: "chat", rows: [{ text: token }] });
    expect(await count()).toEqual(before);
  });
});
