import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const said = (text: string) => ({ turns: [{ role: "user", text }] });
const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

describeEachDatabase("races", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function countsOf(table: string, where = "true", values: readonly unknown[] = []) {
    const [row] = await m.db.query<{ n: number }>(
      `select count(*)::int as n from muniment.${table} where ${where}`,
      values,
    );
    return row?.n;
  }

  it("S1-09 20 first writers of one tenant, subject and session make one of each, and none of them fails", async () => {
    const tenant = "bank-new";
    await many(4, () => m.operator(tenant).listRoutes({}));
    await m.operator(tenant).putRoute("chat", routeBody());
    const runs = await many(20, (n) =>
      m.app(tenant).startRun("new-person", "first-chat", { route_id: "chat", goal: `g${n}` }),
    );
    expect(new Set(runs.map((run) => run.run_id)).size).toBe(20);
    const [made] = await m.db.query<{ tenant_id: string }>(
      "select tenant_id from muniment.tenant where name = $1",
      [tenant],
    );
    for (const table of ["subject", "session", "workspace"])
      expect([table, await countsOf(table, "tenant_id = $1", [made?.tenant_id])]).toEqual([
        table,
        1,
      ]);
    expect(await countsOf("external_id", "tenant_id = $1", [made?.tenant_id])).toBe(2);
  });

  it("S1-05 turns of new speakers that come at once, in either order, all stand under their names", async () => {
    const { run_id: run } = await m
      .app()
      .startRun("named", "s", { route_id: "chat", goal: "Meet" });
    const turn = (speaker: string) => ({ role: "user", text: `I am ${speaker}`, speaker });
    const pair = [turn("Ann"), turn("Bob")];
    await many(10, (n) =>
      m.app().appendTurns(run, { turns: n % 2 === 0 ? pair : pair.toReversed() }),
    );
    const { turns } = await m.app().listTurns(run, { limit: 100 });
    expect(turns).toHaveLength(20);
    for (const { speaker, text } of turns) expect(text).toBe(`I am ${speaker}`);
  });

  it("S1-05 a speaker that is known here, and whose name is gone from the database, is named again", async () => {
    const { run_id: run } = await m
      .app()
      .startRun("renamed", "s", { route_id: "chat", goal: "Meet" });
    const say = () =>
      m.app().appendTurns(run, { turns: [{ role: "user", text: "hello", speaker: "Zoe" }] });
    await say();
    await m.db.query(
      `delete from muniment.external_id e using muniment.run r
       where e.tenant_id = r.tenant_id and e.subject_id = r.subject_id and e.kind = 'speaker' and r.run_id = $1`,
      [run],
    );
    await say();
    const { turns } = await m.app().listTurns(run, { limit: 1 });
    expect(turns[0]?.speaker).toBe("Zoe");
  });

  it("S1-05 turns of a new speaker are kept beside writes of the same speaker that fail", async () => {
    const { run_id: run } = await m
      .app()
      .startRun("beside", "s", { route_id: "chat", goal: "Meet" });
    const turns = [{ role: "user" as const, text: "hello", speaker: "Nia" }];
    const fail = () =>
      m
        .app()
        .completeStage(run, "explain", { output: 1, turns, slot_version: 999 })
        .catch((error: unknown) => error);
    const kept = await many(90, async (n) => {
      if (n % 2 === 0) return await fail();
      return await m.app().appendTurns(run, { turns });
    });
    expect(kept.filter((reply) => reply instanceof Error)).toHaveLength(45);
    const listed = await m.app().listTurns(run, { limit: 100 });
    expect(listed.turns.map(({ speaker }) => speaker)).toEqual(Array(45).fill("Nia"));
  });

  it("S1-09 first requests of one new tenant make one tenant and one workspace", async () => {
    await many(20, () => m.operator("bank-newest").listRoutes({}));
    expect(await countsOf("tenant", "name = 'bank-newest'")).toBe(1);
  });

  it.each([
    ["bound to the person", (who: string) => m.customer(who)],
    ["bound to the person and the chat", (who: string) => m.customer(who, "mine")],
  ])(
    "S1-09 20 first requests of one customer, %s, all get in, to one subject and one session",
    async (bound, as) => {
      const who = `customer ${bound}`;
      const before = { subject: await countsOf("subject"), session: await countsOf("session") };
      const runs = await many(20, () =>
        as(who).startRun(who, "mine", { route_id: "chat", goal: "hello" }),
      );
      expect(runs).toHaveLength(20);
      expect(await countsOf("subject")).toBe(Number(before.subject) + 1);
      expect(await countsOf("session")).toBe(Number(before.session) + 1);
      const last = runs.at(-1)?.run_id ?? "";
      await as(who).appendTurns(last, said("here I am"));
      expect((await as(who).listTurns(last, {})).turns).toHaveLength(1);
    },
  );

  it("S5-12 a customer bound to one chat leaves nothing behind by asking for another", async () => {
    const before = await countsOf("subject");
    const call = m
      .customer("stray", "mine")
      .startRun("stray", "other", { route_id: "chat", goal: "x" });
    await expect(call).rejects.toMatchObject({ kind: "not_found" });
    expect(await countsOf("subject")).toBe(before);
  });

  it.each([
    ["the application", (who: string) => m.app().startRun.bind(null, who)],
    ["the customer", (who: string) => m.customer(who).startRun.bind(null, who)],
  ])(
    "S1-26 %s makes no session for a person who was erased while still in a cache, and is let in anew",
    async (by, as) => {
      const who = `ended ${by}`;
      const start = (session: string) => as(who)(session, { route_id: "chat", goal: "x" });
      await start("first");
      const { run_id: old } = await start("first");
      const [gone] = await m.db.query<{ subject_id: string }>(
        "select subject_id from muniment.run where run_id = $1",
        [old],
      );
      const subject = [gone?.subject_id];
      await m.db.query(
        "update muniment.subject set state = 'ended' where subject_id = $1",
        subject,
      );
      await m.db.query("delete from muniment.external_id where subject_id = $1", subject);
      const { run_id: next } = await start("second");
      expect(await countsOf("session", "subject_id = $1", subject)).toBe(1);
      expect(await countsOf("external_id", "subject_id = $1", subject)).toBe(0);
      expect(await countsOf("run", "run_id = $2 and subject_id <> $1", [...subject, next])).toBe(1);
    },
  );

  it("S1-05 parallel appends keep every turn once, in one order without gaps, each request's turns together", async () => {
    const { run_id } = await m.app().startRun("ann", "busy", { route_id: "chat", goal: "x" });
    await many(20, (n) =>
      m.app().appendTurns(run_id, {
        turns: ["a", "b", "c"].map((part) => ({ role: "user", text: `${n}${part}` })),
      }),
    );
    const { turns } = await m.app().listTurns(run_id, { limit: 100 });
    const inOrder = turns.toReversed();
    expect(inOrder.map((turn) => turn.seq)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    expect(new Set(inOrder.map((turn) => turn.text)).size).toBe(60);
    for (let at = 0; at < 60; at += 3) {
      const [a, b, c] = inOrder.slice(at, at + 3).map((turn) => turn.text);
      expect([b, c]).toEqual([a?.replace("a", "b"), a?.replace("a", "c")]);
    }
  });

  it("S1-05 the same sources sent at the same moment are kept once, and every caller is told the same turns", async () => {
    const { run_id } = await m.app().startRun("ann", "twice", { route_id: "chat", goal: "x" });
    const turns = [1, 2].map((n) => ({
      role: "user",
      text: `I really like coffee ${n}`,
      source_id: `m${n}`,
    }));
    const replies = await many(10, () => m.app().appendTurns(run_id, { turns }));
    const { turns: kept } = await m.app().listTurns(run_id, {});
    expect(kept.map((turn) => turn.text)).toEqual([
      "I really like coffee 2",
      "I really like coffee 1",
    ]);
    const ids = kept.map((turn) => turn.turn_id).toReversed();
    expect(replies.map((reply) => reply.turn_ids)).toEqual(replies.map(() => ids));
  });

  it("S3-06 parallel stages keep all their notes and slots", async () => {
    const stages = Array.from({ length: 8 }, (_, n) => ({ stage_id: `s${n}`, tools: [] }));
    await m.operator().putRoute("wide", routeBody({ stages, profile: { loop: "none" } }));
    const { run_id } = await m.app().startRun("ann", "wide", { route_id: "wide", goal: "x" });
    await many(8, (n) =>
      m.app().completeStage(run_id, `s${n}`, { output: n, notes: [`note ${n}`] }),
    );
    const run = await m.app().readRun(run_id);
    expect(Object.keys(run.slots)).toHaveLength(8);
    expect(new Set(run.notes).size).toBe(8);
  });

  it("S3-05 of writers who saw the same version one is let in", async () => {
    const { run_id } = await m.app().startRun("ann", "cas", { route_id: "chat", goal: "x" });
    const { version } = await m.app().readRun(run_id);
    const writes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        m.app().appendTurns(run_id, { ...said(`t${n}`), expected_version: version }),
      ),
    );
    expect(writes.filter((write) => write.status === "fulfilled")).toHaveLength(1);
    for (const write of writes)
      if (write.status === "rejected")
        expect(write.reason).toMatchObject({ kind: "version_conflict" });
  });

  it("S3-03 of ten resumes one resumes; the others go on with the run that is active again", async () => {
    const { run_id } = await m.app().startRun("ann", "resume", { route_id: "chat", goal: "x" });
    await m.app().failRun(run_id, { code: "lost" });
    const turns = await Promise.allSettled(
      Array.from({ length: 10 }, () => m.app().takeTurn("ann", "resume", {})),
    );
    const done = turns.flatMap((turn) => (turn.status === "fulfilled" ? [turn.value.resumed] : []));
    expect(done.filter(Boolean)).toHaveLength(1);
    for (const turn of turns)
      if (turn.status === "rejected")
        expect(turn.reason).toMatchObject({ kind: "version_conflict" });
    expect((await m.app().readRun(run_id)).state).toBe("active");
  });

  it("S1-31 a pool of one connection serves every write, one after the other and all at once", async () => {
    const one = await openTestMuniment(database, { poolMax: 1 });
    await one.operator().putRoute("chat", routeBody());
    const start = async (session: string) =>
      (
        await one
          .app("bank-au", `key ${session}`)
          .startRun("ann", session, { route_id: "chat", goal: "x" })
      ).run_id;
    const everything = async (session: string) => {
      const run = await start(session);
      const app = one.app();
      await app.appendTurns(run, said("hello"));
      await app.takeTurn("ann", session, said("again"));
      await app.writeWorking(run, { failures: ["f"], scratch: [{ ref: "s3://x" }] });
      await app.completeStage(run, "stage", { output: 1, notes: ["n"] });
      await app.writeCheckpoint(run, { step: 5 });
      const child = await app.projectChild(run, { route_id: "chat", goal: "y", slots: ["stage"] });
      await app.closeRun(child.run_id, {});
      const pack = await app.assemble(run, { recall: { query: "hello" } });
      await app.explainPack(pack.pack_id);
      await app.failRun(run, { code: "x" });
      await app.takeTurn("ann", session, { resume: true });
      await app.importTurns("ann", { route_id: "chat", rows: [row(session)] });
      const next = await start(`${session} next`);
      await expect(
        app.handoffSlots(next, { from_run: run, slots: ["stage"] }),
      ).rejects.toMatchObject({ kind: "not_found" });
      await one.operator().readAudit({ limit: 1 });
    };
    await everything("alone");
    await many(6, (n) => everything(`s${n}`));
    expect(one.alarms).toEqual([]);
  });

  it("S1-09 no integrity alarm was raised by any of it", () => {
    expect(m.alarms).toEqual([]);
  });
});

function row(source: string) {
  return {
    session: "old",
    source_id: source,
    text: "imported",
    observed_at: "2020-01-01T00:00:00Z",
  };
}
