import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import {
  type At,
  type Call,
  goodCallWorks,
  HALF,
  LONG,
  NUL,
  openInputs,
  refusedByName,
  SECRET,
} from "../support/input-places.js";
import { refusalOf, type TestMuniment } from "../support/muniment.js";

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

describeEachDatabase("ids from outside", (database) => {
  let m: TestMuniment;
  let at: At;

  beforeAll(async () => {
    ({ m, at } = await openInputs(database));
  });

  it.each(BAD_IDS)(
    "S5-12 an id that is %s is refused wherever an id is taken",
    async (_, value) => {
      for (const [field, call] of IDS) await refusedByName(call(at, value), field);
      await goodCallWorks(m, at);
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
});
