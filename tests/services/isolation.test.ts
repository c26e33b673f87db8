import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const SECRET = "zebra-sentinel-4471";

describeEachDatabase("isolation", (database) => {
  let m: TestMuniment;
  let run: string;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz"])
      await m.operator(tenant).putRoute("chat", routeBody());
    ({ run_id: run } = await m
      .app()
      .startRun("jane", "a", { route_id: "chat", goal: `About ${SECRET}` }));
    await m.app().appendTurns(run, {
      turns: [{ role: "user", text: `My word is ${SECRET}`, speaker: "Jane" }],
    });
    await m.app().completeStage(run, "first", { output: { word: SECRET }, notes: [SECRET] });
  });

  const foreigners = (): readonly [string, ReturnType<TestMuniment["as"]>][] => [
    ["another tenant's application", m.app("bank-nz")],
    ["another workspace's application", m.as({ id: "app", roles: ["app"], workspace: "other" })],
    ["another customer", m.customer("tom")],
    ["the same customer in another session", m.customer("jane", "b")],
    ["a subject with a look-alike id", m.customer("jane%")],
    ["a service without a role", m.as({ id: "app", roles: [] })],
  ];

  it("S1-09 nobody but the run's own parties reads it, and a foreign run answers like a missing one", async () => {
    await m.app().startRun("tom", "a", { route_id: "chat", goal: "other" });
    await m.app().startRun("jane%", "a", { route_id: "chat", goal: "other" });
    await m.app().startRun("jane", "b", { route_id: "chat", goal: "other" });
    const missing = "01900000-0000-7000-8000-000000000000";
    for (const [who, as] of foreigners()) {
      for (const id of [run, missing]) {
        const calls = [
          as.readRun(id),
          as.listTurns(id, {}),
          as.appendTurns(id, { turns: [{ role: "user", text: "hello" }] }),
          as.assemble(id, {}),
          as.recallTurns(id, { query: "word" }),
          as.completeStage(id, "x", { output: 1 }),
          as.closeRun(id, {}),
        ];
        expect(await Promise.all(calls.map(refusalOf)), who).toEqual(calls.map(() => "not_found"));
      }
    }
  });

  it("S1-09 a session without an active run is as missing to strangers as one that never was", async () => {
    const { run_id } = await m.app().startRun("jane", "idle", { route_id: "chat", goal: "x" });
    await m.app().closeRun(run_id, {});
    const strangers = [
      ...foreigners(),
      ["a release pipeline", m.as({ roles: ["release"] })] as const,
    ];
    for (const [who, as] of strangers) {
      const calls = [as.takeTurn("jane", "idle", {}), as.takeTurn("jane", "never", {})];
      expect(await Promise.all(calls.map(refusalOf)), who).toEqual(["not_found", "not_found"]);
    }
    expect(await refusalOf(m.app().takeTurn("jane", "idle", {}))).toBe("run_ended");
  });

  it("S1-09 a missing route is refused in the same words under a foreign parent run and a missing one", async () => {
    const child = { route_id: "no_such_route", goal: "x", slots: [] };
    const missing = "01900000-0000-7000-8000-000000000000";
    for (const [who, as] of foreigners()) {
      const [foreign, unused] = await Promise.all(
        [run, missing].map((id) => refusedWith(as.projectChild(id, child))),
      );
      expect(foreign?.message, who).toBe(unused?.message);
    }
  });

  it("S1-09 session A never shows session B's turns, slots or notes of the same user", async () => {
    const b = await m.app().startRun("jane", "b2", { route_id: "chat", goal: "Another matter" });
    const shown = [
      await m.app().listTurns(b.run_id, {}),
      await m.app().readRun(b.run_id),
      await m.app().assemble(b.run_id, {}),
    ];
    expect(JSON.stringify(shown)).not.toContain(SECRET);
  });

  it("S1-09 past sessions are reached through recall alone, and recall stays with the subject", async () => {
    const b = await m.app().startRun("jane", "b3", { route_id: "chat", goal: "Another matter" });
    const own = await m.app().recallTurns(b.run_id, { query: SECRET });
    expect(own.hits.map((hit) => hit.text)).toEqual([`My word is ${SECRET}`]);
    const tom = await m.app().startRun("tom", "b3", { route_id: "chat", goal: "Mine" });
    expect((await m.app().recallTurns(tom.run_id, { query: SECRET })).outcome).toBe("no_matches");
  });

  it("S4-30 the tenant's other workspaces get nothing of a subject's sessions or evidence", async () => {
    const other = m.as({ id: "app", roles: ["app"], workspace: "other" });
    const { run_id } = await other.startRun("jane", "w2", {
      route_id: "chat",
      goal: "own session",
    });
    expect((await other.recallTurns(run_id, { query: SECRET })).hits).toEqual([]);
  });

  it("S4-30 a session's name is taken in its workspace alone: nobody elsewhere notices, or is shown anything of it", async () => {
    const other = m.as({ id: "app", roles: ["app"], workspace: "other" });
    expect(await refusalOf(other.takeTurn("jane", "a", {}))).toBe("not_found");
    expect(await refusalOf(other.closeSession("jane", "a", {}))).toBe("not_found");
    const theirs = await other.startRun("jane", "a", { route_id: "chat", goal: "Theirs" });
    await other.appendTurns(theirs.run_id, {
      turns: [{ role: "user", text: "Our own matter", source_id: "mail-1" }],
    });
    await m.app().appendTurns(run, {
      turns: [{ role: "user", text: "Another matter", source_id: "mail-1" }],
    });
    const texts = async (as: typeof other, id: string) =>
      (await as.listTurns(id, {})).turns.map(({ text }) => text).toSorted();
    expect(await texts(other, theirs.run_id)).toEqual(["Our own matter"]);
    expect(await texts(m.app(), run)).toEqual(["Another matter", `My word is ${SECRET}`]);
    const bound = m.as({
      kind: "human",
      id: "jane",
      subject: "jane",
      session: "a",
      workspace: "other",
    });
    expect(await texts(bound, theirs.run_id)).toEqual(["Our own matter"]);
    expect(await refusalOf(bound.listTurns(run, {}))).toBe("not_found");
  });

  it("S1-09 the same ids in two tenants are two subjects and two sessions", async () => {
    const nz = await m.app("bank-nz").startRun("jane", "a", { route_id: "chat", goal: "NZ" });
    expect((await m.app("bank-nz").listTurns(nz.run_id, {})).turns).toEqual([]);
    expect((await m.app("bank-nz").recallTurns(nz.run_id, { query: SECRET })).hits).toEqual([]);
  });

  it.each([
    "john-doe",
    "john_doe",
    "a%",
    "a\\b",
    "%",
    "_",
    "*",
    "null",
    "__proto__",
    "../other",
    "system",
  ])(
    "S1-09 the subject id %j is compared for equality, never as a pattern or a reserved word",
    async (id) => {
      const { run_id } = await m.app().startRun(id, "only", { route_id: "chat", goal: "Mine" });
      expect((await m.app().recallTurns(run_id, { query: SECRET })).hits).toEqual([]);
      expect((await m.app().listTurns(run_id, {})).turns).toEqual([]);
    },
  );

  it("S1-04 a scope in a body is refused by name, whatever it says", async () => {
    for (const key of [
      "userId",
      "user_id",
      "tenant",
      "subject",
      "session_id",
      "workspace",
      "isolation",
      "memory_profile",
    ]) {
      expect(await refusalOf(m.app().recallTurns(run, { query: "word", [key]: "tom" })), key).toBe(
        "scope_in_input",
      );
    }
    expect(
      await refusalOf(m.app().recallTurns(run, { query: "word", filters: { user_id: "tom" } })),
    ).toBe("invalid_input");
  });

  it("S1-09 no integrity alarm was raised: each statement alone was narrow enough", () => {
    expect(m.alarms).toEqual([]);
  });
});
