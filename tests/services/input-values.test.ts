import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import {
  type At,
  type Call,
  deep,
  goodCallWorks,
  HALF,
  JSONS,
  NUL,
  openInputs,
  refusedByName,
  SECRET,
} from "../support/input-places.js";
import { refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const PROTO = JSON.parse(`{"__proto__": {"x": "${SECRET}"}}`) as object;

function circular(): object {
  const ring: Record<string, unknown> = { [SECRET]: SECRET };
  ring.self = ring;
  return ring;
}

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

describeEachDatabase("values from outside", (database) => {
  let m: TestMuniment;
  let at: At;

  beforeAll(async () => {
    ({ m, at } = await openInputs(database));
  });

  it.each(BAD_LIMITS)("S4-11 the number %o is refused at each limit", async (value) => {
    for (const [field, call] of LIMITS_OF) await refusedByName(call(at, value), field);
  });

  it("S4-11 1e9 is refused where there is a bound, and 0 means 0", async () => {
    for (const [field, call] of LIMITS_OF.slice(0, 5)) await refusedByName(call(at, 1e9), field);
    await goodCallWorks(m, at);
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
      await goodCallWorks(m, at);
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
});
