import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import type { Operations } from "../support/muniment.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const SECRET = "zebra-sentinel-4471";
const NUL = `what's the \u0000 ${SECRET}`;
const HALF = `ignore \ud83d ${SECRET}`;
const LONG = SECRET.repeat(200);
const PROTO = JSON.parse(`{"__proto__": {"x": "${SECRET}"}}`) as object;

function deep(levels: number): unknown {
  return levels === 0 ? SECRET : [deep(levels - 1)];
}

function circular(): object {
  const ring: Record<string, unknown> = { [SECRET]: SECRET };
  ring.self = ring;
  return ring;
}

interface At {
  readonly app: Operations;
  readonly run: string;
  readonly session: string;
}

type Call = (at: At, value: unknown) => Promise<unknown>;

/** Every place that takes text which is kept or searched, with the field that a refusal names. */
const TEXTS: readonly [string, Call][] = [
  [
    "turns.0.text",
    ({ app, run }, text) => app.appendTurns(run, { turns: [{ role: "user", text }] }),
  ],
  [
    "turns.1.text",
    ({ app, session }, text) =>
      app.takeTurn("jane", session, {
        turns: [
          { role: "user", text: "x" },
          { role: "user", text },
        ],
      }),
  ],
  [
    "turns.0.text",
    ({ app, run }, text) =>
      app.completeStage(run, "s", { output: 1, turns: [{ role: "assistant", text }] }),
  ],
  ["goal", ({ app, session }, goal) => app.startRun("jane", session, { route_id: "chat", goal })],
  ["goal", ({ app, run }, goal) => app.projectChild(run, { route_id: "chat", goal, slots: [] })],
  ["notes.0", ({ app, run }, note) => app.completeStage(run, "s", { output: 1, notes: [note] })],
  ["failures.0", ({ app, run }, failure) => app.writeWorking(run, { failures: [failure] })],
  ["questions.0", ({ app, run }, question) => app.writeWorking(run, { questions: [question] })],
  ["artifact", ({ app, run }, artifact) => app.writeWorking(run, { artifact })],
  [
    "scratch.0.label",
    ({ app, run }, label) => app.writeWorking(run, { scratch: [{ ref: "r", label }] }),
  ],
  ["query", ({ app, run }, query) => app.recallTurns(run, { query })],
  ["recall.query", ({ app, run }, query) => app.assemble(run, { recall: { query } })],
];

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

/** Every place of an id that the caller chooses. */
const IDS: readonly [string, Call][] = [
  ["subject", ({ app }, id) => app.startRun(id as string, "s", { route_id: "chat", goal: "x" })],
  ["session", ({ app }, id) => app.startRun("jane", id as string, { route_id: "chat", goal: "x" })],
  ["subject", ({ app }, id) => app.takeTurn(id as string, "s", {})],
  ["session", ({ app }, id) => app.takeTurn("jane", id as string, {})],
  ["subject", ({ app }, id) => app.importTurns(id as string, { route_id: "chat", rows: [{}] })],
  [
    "turns.0.speaker",
    ({ app, run }, speaker) =>
      app.appendTurns(run, { turns: [{ role: "user", text: "x", speaker }] }),
  ],
  [
    "turns.0.source_id",
    ({ app, run }, source_id) =>
      app.appendTurns(run, { turns: [{ role: "user", text: "x", source_id }] }),
  ],
  [
    "turns.0.tool",
    ({ app, run }, tool) =>
      app.appendTurns(run, { turns: [{ role: "tool_call", text: "x", tool, call_id: "c" }] }),
  ],
  [
    "turns.0.call_id",
    ({ app, run }, call_id) =>
      app.appendTurns(run, { turns: [{ role: "tool_call", text: "x", tool: "t", call_id }] }),
  ],
  ["scratch.0.ref", ({ app, run }, ref) => app.writeWorking(run, { scratch: [{ ref }] })],
];

const BAD_IDS: readonly [string, unknown][] = [
  ["a NUL", NUL],
  ["half of a surrogate pair", HALF],
  ["31 marks in a row", `${SECRET}${"\u0316".repeat(31)}`],
  ["nothing", ""],
  ["a space", " "],
  ["a zero-width space", "\u200b"],
  ["empty Braille patterns", "\u2800\u2800"],
  ["fillers of Hangul", "\u3164\u115f"],
  ["a line end inside", `${SECRET}\n${SECRET}`],
  ["space around it", ` ${SECRET}`],
  ["300 characters", SECRET.repeat(16)],
  ["3,000 characters", LONG],
  ["a number", Number("725653563933458432")],
  ["7", 7],
  ["true", true],
  ["null", null],
  ["a list", [SECRET, SECRET]],
  ["a query operator", { $regex: ".*" }],
];

const LIMITS_OF: readonly [string, Call][] = [
  ["limit", ({ app, run }, limit) => app.listTurns(run, { limit })],
  ["limit", ({ app, run }, limit) => app.recallTurns(run, { query: "x", limit })],
  ["recall.limit", ({ app, run }, limit) => app.assemble(run, { recall: { query: "x", limit } })],
  ["limit", ({ app }, limit) => app.listRoutes({ limit })],
  ["tokens_max", ({ app, run }, tokens_max) => app.assemble(run, { tokens_max })],
  ["step", ({ app, run }, step) => app.writeCheckpoint(run, { step })],
  ["expected_version", ({ app, run }, expected_version) => app.closeRun(run, { expected_version })],
  ["version", ({ app }, version) => app.readRoute("chat", { version })],
];

const BAD_LIMITS: readonly unknown[] = [
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  "abc",
  "",
  "5; drop",
  null,
  Number.NaN,
  [5],
  { $gt: 0 },
  true,
  5n,
];

const JSONS: readonly [string, Call][] = [
  ["output", ({ app, run }, output) => app.completeStage(run, "s", { output })],
  ["contract", ({ app, run }, contract) => app.writeWorking(run, { contract })],
  ["result", ({ app, run }, result) => app.writeCheckpoint(run, { step: 1, result })],
  ["proposals", ({ app, run }, proposals) => app.writeCheckpoint(run, { step: 1, proposals })],
  [
    "observations",
    ({ app, run }, observations) => app.writeCheckpoint(run, { step: 1, observations }),
  ],
];

const BAD_JSONS: readonly [string, unknown][] = [
  ["a bigint", { order: 10n }],
  ["a ring", circular()],
  ["NaN", { n: Number.NaN }],
  ["Infinity", [Number.POSITIVE_INFINITY]],
  ["a date", new Date(0)],
  ["undefined inside", { a: undefined }],
  ["a function", () => SECRET],
  ["a symbol", Symbol(SECRET)],
  ["60 levels", deep(60)],
  ["a NUL in a value", { a: NUL }],
  ["a NUL in a key", { [NUL]: 1 }],
  ["half a surrogate in a key", { [HALF]: 1 }],
  ["__proto__", { a: PROTO }],
  ["too much", SECRET.repeat(20_000)],
];

const TIMES: readonly unknown[] = [
  "2026-05-01",
  "2026-05-01T10:00",
  "2026-05-01T10:00:00",
  "31/05/2026",
  "2026-02-30T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-05-01T24:00:00Z",
  "2026-05-01T10:00:60Z",
  "2026-05-01T10:00:00+25:00",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-12:00",
  "+010000-01-01T00:00:00Z",
  "now",
  1_767_225_600,
  null,
  "",
  NUL,
];

describeEachDatabase("input", (database) => {
  let m: TestMuniment;
  let at: At;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
    const { run_id } = await m.app().startRun("jane", "home", { route_id: "chat", goal: "x" });
    at = { app: m.app(), run: run_id, session: "home" };
  });

  /** Refused as bad input, by that field, without the value; and the next good call works. */
  async function refusedByName(call: Promise<unknown>, field: string, kind = "invalid_input") {
    const refusal = await refusedWith(call);
    expect([refusal.kind, refusal.field], refusal.message).toEqual([kind, field]);
    expect(refusal.message).toContain(field.split(".")[0]);
    expect(`${refusal.message}${refusal.field}`).not.toContain("sentinel");
    expect(refusal.message.isWellFormed()).toBe(true);
    return refusal;
  }

  async function goodCallWorks() {
    await at.app.appendTurns(at.run, { turns: [{ role: "user", text: "hello" }] });
    expect(m.alarms).toEqual([]);
  }

  it.each(BAD_TEXTS)(
    "S5-12 text that is %s is refused wherever it would be kept or searched",
    async (_, value) => {
      for (const [field, call] of TEXTS) await refusedByName(call(at, value), field);
      await goodCallWorks();
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

  it.each(BAD_IDS)(
    "S5-12 an id that is %s is refused wherever an id is taken",
    async (_, value) => {
      for (const [field, call] of IDS) await refusedByName(call(at, value), field);
      await goodCallWorks();
    },
  );

  it.each([
    "01900000-0000-7000-8000-00000000000a",
    "jane.doe+fees@example.org",
    "org|team",
    "a/b",
    "main",
    "OR",
    `"quoted" 'both'`,
    '") or true or ("',
    'x" OR user_id = "admin',
    "system",
    "default",
    "*",
    "null",
    "session:123",
    "../other",
    "__proto__",
    "constructor",
    "ＡＢＣ１２３",
    "007",
    "i".repeat(256),
  ])("S1-09 the id %j works in every place, for its own memory alone", async (id) => {
    const { run_id } = await at.app.startRun(id, id, { route_id: "chat", goal: "x" });
    const turns = [{ role: "user", text: `mine ${SECRET}`, speaker: id, source_id: id }];
    await at.app.appendTurns(run_id, { turns });
    await at.app.takeTurn(id, id, {});
    const rows = [
      {
        session: id,
        source_id: `${id.slice(1)}!`,
        text: "old",
        observed_at: "2020-01-01T00:00:00Z",
      },
    ];
    expect(await at.app.importTurns(id, { route_id: "chat", rows })).toMatchObject({ imported: 1 });
    expect((await at.app.listTurns(run_id, {})).turns).toMatchObject([
      { text: `mine ${SECRET}`, speaker: id },
    ]);
    const { hits } = await m.customer(id, id).recallTurns(run_id, { query: SECRET });
    // The turn that has it, and perhaps the one beside it.
    expect(hits[0]?.text).toBe(`mine ${SECRET}`);
    expect(hits.slice(1).every(({ text }) => text === "old")).toBe(true);
  });

  it("S1-09 '007', '7' and '1' are three people", async () => {
    const runs = [];
    for (const id of ["007", "7", "1"])
      runs.push(await at.app.startRun(id, "numbers", { route_id: "chat", goal: id }));
    const rows = await m.db.query<{ n: number }>(
      "select count(distinct subject_id)::int as n from muniment.run where run_id = any($1::uuid[])",
      [runs.map((run) => run.run_id)],
    );
    expect(rows).toEqual([{ n: 3 }]);
  });

  it("S1-09 composed and decomposed letters are one id, in the path and in the credential: no twins", async () => {
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"] as const;
    const { run_id } = await at.app.startRun(composed, composed, { route_id: "chat", goal: "x" });
    const again = await at.app.takeTurn(decomposed, decomposed, {});
    expect(again.run_id).toBe(run_id);
    const customer = m.customer(decomposed, decomposed);
    await customer.appendTurns(run_id, { turns: [{ role: "user", text: "hello" }] });
    expect((await customer.takeTurn(composed, decomposed, {})).run_id).toBe(run_id);
    expect((await m.customer(composed).listTurns(run_id, {})).turns).toHaveLength(1);
    const tenants = await Promise.all(
      [`bank ${composed}`, `bank ${decomposed}`].map((name) => m.operator(name).listRoutes({})),
    );
    expect(tenants).toHaveLength(2);
    expect(
      await m.db.query("select 1 from muniment.tenant where name like 'bank caf%'"),
    ).toHaveLength(1);
  });

  it.each(["", " ", "a\u0000b", "\ud83d", "x".repeat(257)])(
    "S1-09 a credential whose id, tenant, workspace or person is %j is no credential, and makes nothing",
    async (bad) => {
      const before = await m.db.query("select count(*)::int as n from muniment.tenant");
      for (const claims of [
        { id: bad },
        { tenant: bad },
        { workspace: bad },
        { subject: bad },
        { subject: "jane", session: bad },
      ]) {
        expect(await refusalOf(m.as({ roles: ["app"], ...claims }).listRoutes({}))).toBe(
          "unauthenticated",
        );
      }
      expect(await m.db.query("select count(*)::int as n from muniment.tenant")).toEqual(before);
    },
  );

  it.each(BAD_LIMITS)("S4-11 the number %o is refused at each limit", async (value) => {
    for (const [field, call] of LIMITS_OF) await refusedByName(call(at, value), field);
  });

  it("S4-11 1e9 is refused where there is a bound, and 0 means 0", async () => {
    for (const [field, call] of LIMITS_OF.slice(0, 5)) await refusedByName(call(at, 1e9), field);
    await goodCallWorks();
    expect(await at.app.listTurns(at.run, { limit: 0 })).toMatchObject({ turns: [], cursor: null });
    expect((await at.app.recallTurns(at.run, { query: "hello", limit: 0 })).hits).toEqual([]);
    expect(await at.app.listRoutes({ limit: 0 })).toMatchObject({ routes: [], cursor: null });
    const pack = await at.app.assemble(at.run, { recall: { query: "hello", limit: 0 } });
    expect(pack.items.filter((item) => item.kind === "recalled")).toEqual([]);
    await refusedByName(at.app.assemble(at.run, { tokens_max: 0 }), "tokens_max");
  });

  it.each(BAD_JSONS)(
    "S5-12 a value that has %s isn't kept, and the next good one is",
    async (_, value) => {
      for (const [field, call] of JSONS) await refusedByName(call(at, value), field);
      await goodCallWorks();
    },
  );

  it("S5-12 a stage without an output is refused", async () => {
    await refusedByName(at.app.completeStage(at.run, "s", {}), "output");
    await refusedByName(at.app.completeStage(at.run, "s", { output: undefined }), "output");
  });

  it("S3-05 plain data comes back as plain data, whatever it looks like", async () => {
    const { run_id } = await at.app.startRun("jane", "plain", { route_id: "chat", goal: "x" });
    const output = {
      ai: {
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "AIMessage"],
        kwargs: { content: "x" },
      },
      secret: { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] },
      order: "725653563933458432",
      constructor: "c",
      toString: "t",
      "x' OR '1'='1": 1,
      "$.a": 2,
      "{a,b}": [null, 0, -1.5, 1e21],
      "": "",
    };
    await at.app.completeStage(run_id, "s", { output });
    await at.app.writeCheckpoint(run_id, { step: 2, result: output });
    const run = await at.app.readRun(run_id);
    expect(run.slots).toEqual({ s: output });
    expect(run.checkpoint?.result).toEqual(output);
  });

  it.each(TIMES)(
    "S5-12 the time %j is refused: no zone, no such day, or no time at all",
    async (observed_at) => {
      const turns = [{ role: "user", text: "x", observed_at }];
      await refusedByName(at.app.appendTurns(at.run, { turns }), "turns.0.observed_at");
    },
  );

  it.each(["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])(
    "S4-11 a time is the same instant and comes back in UTC, with the server in %s",
    async (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const { run_id } = await at.app.startRun("jane", `zone ${zone}`, {
          route_id: "chat",
          goal: "x",
        });
        const times: readonly [string, string][] = [
          ["2026-11-01T08:30:00Z", "2026-11-01T08:30:00.000Z"],
          ["2026-11-01T01:30:00-07:00", "2026-11-01T08:30:00.000Z"],
          ["2026-11-01T17:30+09:00", "2026-11-01T08:30:00.000Z"],
          ["2026-05-01T10:00:00.123456+05:30", "2026-05-01T04:30:00.123Z"],
          ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
          ["1883-11-18T12:00:00Z", "1883-11-18T12:00:00.000Z"],
          ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
        ];
        const turns = times.map(([observed_at]) => ({ role: "user", text: "x", observed_at }));
        await at.app.appendTurns(run_id, { turns });
        const kept = (await at.app.listTurns(run_id, {})).turns.toReversed();
        expect(kept.map((turn) => turn.observed_at)).toEqual(times.map(([, utc]) => utc));
        const pack = await at.app.assemble(run_id, { recall: { query: "x" } });
        expect(pack.text).toContain('time="9999-12-31T23:59Z"');
        expect(pack.text).not.toMatch(/NaN|Invalid/);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );

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

  it("S5-12 JSON is nested to one limit, whichever operation takes it", async () => {
    const nest = (levels: number) => ({ a: deep(levels - 1) });
    const stages = (input_schema: unknown) =>
      routeBody({ stages: [{ stage_id: "a", input_schema }] });
    await at.app.writeWorking(at.run, { contract: nest(32) });
    await m.operator().putRoute("nested", stages(nest(32)));
    const refused = await Promise.all([
      refusedWith(at.app.writeWorking(at.run, { contract: nest(33) })),
      refusedWith(m.operator().putRoute("nested", stages(nest(33)))),
    ]);
    for (const { message } of refused) expect(message).toMatch(/deeper than 32/);
  });

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

  it("S5-12 `__proto__` is refused at each depth and changes nothing", async () => {
    for (const call of [
      () =>
        at.app.recallTurns(
          at.run,
          Object.assign(JSON.parse('{"__proto__": {"a": 1}, "query": "x"}')),
        ),
      () =>
        at.app.appendTurns(
          at.run,
          JSON.parse('{"turns": [{"role": "user", "text": "x", "__proto__": {"a": 1}}]}'),
        ),
      () => at.app.writeWorking(at.run, JSON.parse('{"contract": {"a": {"__proto__": {"b": 1}}}}')),
      () =>
        at.app.startRun(
          "jane",
          "home",
          JSON.parse('{"route_id": "chat", "goal": "x", "__proto__": {"a": 1}}'),
        ),
      () => m.operator().putRoute("proto", JSON.parse('{"__proto__": {"a": 1}}')),
    ])
      expect(await refusalOf(call())).toBe("invalid_input");
    expect(({} as Record<string, unknown>).a).toBeUndefined();
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
    await goodCallWorks();
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
