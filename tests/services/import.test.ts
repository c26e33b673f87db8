import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { DAY, importsIn, rowsFrom } from "../support/imports.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("import", (database) => {
  let m: TestMuniment;
  const { person, take, runOf, recalled } = importsIn(() => m);

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  it("S5-14 each row has its own outcome: a bad one sinks neither the batch nor its neighbours", async () => {
    const who = person();
    const good = rowsFrom("s1", "first walrus", "second walrus", "third walrus");
    const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    const base = { session: "s1", source_id: "bad", text: "x", observed_at: DAY };
    const bad: readonly [object | null | string, string, string][] = [
      [{ ...base, text: undefined }, "invalid_input", "text"],
      [{ ...base, text: "what's the \u0000 weather" }, "invalid_input", "text"],
      [{ ...base, text: "x".repeat(64_001) }, "invalid_input", "text"],
      [{ ...base, text: "half \ud83d" }, "invalid_input", "text"],
      [{ ...base, text: "  " }, "invalid_input", "text"],
      [{ ...base, text: token }, "credential_in_text", "text"],
      [{ ...base, source_id: undefined }, "invalid_input", "source_id"],
      [{ ...base, source_id: 7 }, "invalid_input", "source_id"],
      [{ ...base, session: "s".repeat(300) }, "invalid_input", "session"],
      [{ ...base, observed_at: "2020-01-01" }, "invalid_input", "observed_at"],
      [{ ...base, observed_at: "2020-02-30T00:00:00Z" }, "invalid_input", "observed_at"],
      [{ ...base, role: "developer" }, "invalid_input", "role"],
      [{ ...base, role: "tool_call", call_id: "c1" }, "invalid_input", "tool"],
      [{ ...base, role: "tool_result", tool: "look" }, "invalid_input", "call_id"],
      [{ ...base, tool: "look", call_id: "c1" }, "invalid_input", "tool"],
      [{ ...base, user_id: "tom" }, "scope_in_input", "user_id"],
      [{ ...base, metadata: {} }, "invalid_input", "metadata"],
      [null, "invalid_input", "body"],
      ["text", "invalid_input", "body"],
    ];
    const rows = [good[0], ...bad.map(([row]) => row), good[1], good[1], good[2]];
    const reply = await take(who, rows);
    expect(reply).toMatchObject({ imported: 3, duplicates: 1, refused: bad.length });
    expect(reply.rows.map((row) => row.index)).toEqual(rows.map((_, index) => index));
    expect(
      reply.rows.slice(1, -3).map(({ status, refusal }) => [status, refusal?.kind, refusal?.field]),
    ).toEqual(bad.map(([, kind, field]) => ["refused", kind, field]));
    expect(reply.rows.slice(-3).map((row) => row.status)).toEqual([
      "imported",
      "duplicate",
      "imported",
    ]);
    expect((await recalled(who, "walrus")).map((hit) => hit.text).toSorted()).toEqual(
      good.map((row) => row.text).toSorted(),
    );
  });

  it("S5-14 a thousand rows in two requests: those in the middle that are bad are told by their place", async () => {
    const who = person();
    const rows: object[] = Array.from({ length: 1_000 }, (_, n) => ({
      session: `s${n % 20}`,
      source_id: `m${n}`,
      text: `message ${n}`,
      observed_at: DAY,
    }));
    rows[500] = { session: "s0", source_id: "m500", observed_at: DAY };
    rows[501] = { ...rows[501], text: "NUL \u0000" };
    rows[502] = { ...rows[502], text: "x".repeat(64_001) };
    rows[503] = { ...rows[499] };
    const replies = [await take(who, rows.slice(0, 500)), await take(who, rows.slice(500))];
    expect(replies).toMatchObject([
      { imported: 500, duplicates: 0, refused: 0 },
      { imported: 496, duplicates: 1, refused: 3 },
    ]);
    expect(replies[1]?.rows.slice(0, 4).map((row) => row.status)).toEqual([
      "refused",
      "refused",
      "refused",
      "duplicate",
    ]);
    const [count] = await m.db.query<{ n: number }>(
      `select count(*)::int as n from muniment.turn where subject_id =
        (select subject_id from muniment.run where run_id = $1)`,
      [await runOf(who)],
    );
    expect(count?.n).toBe(996);
    const { coverage } = await m.app().recallTurns(await runOf(who), { query: "message" });
    expect(coverage).toMatchObject({ searched: 996, of: 996, capped: false });
  });

  it("S5-14 a broken-off import is sent again: what was there stays once, what was missing comes in", async () => {
    const who = person();
    const rows = [...rowsFrom("s1", "a walrus", "b walrus"), ...rowsFrom("s2", "c walrus")];
    await take(who, rows.slice(0, 1));
    expect(await take(who, rows)).toMatchObject({ imported: 2, duplicates: 1, refused: 0 });
    for (let round = 0; round < 3; round++) {
      expect(await take(who, rows)).toMatchObject({ imported: 0, duplicates: 3, refused: 0 });
      expect(await recalled(who, "walrus")).toHaveLength(3);
    }
  });

  it("S5-14 the same batch sent at the same moment is kept once, and no sender fails", async () => {
    const who = person();
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => take(who, rowsFrom("s1", "one", "two", "three"))),
    );
    expect(replies.reduce((sum, reply) => sum + reply.imported, 0)).toBe(3);
    expect(replies.reduce((sum, reply) => sum + reply.duplicates, 0)).toBe(9);
  });

  it("S1-31 each session's transaction leaves a row with its trace, and the reply names one of them", async () => {
    const who = person();
    const rows = ["a", "b", "c"].flatMap((session) => rowsFrom(session, "one", "two"));
    await take(
      who,
      rows.map((row) => ({ ...row, source_id: `warm ${row.source_id}` })),
    );
    const reply = await take(who, rows);
    const left = await m.db.query<{
      audit_id: string;
      session_id: string;
      route_id: string;
      ids: readonly string[];
    }>(
      `select audit_id, session_id, route_id, memory_writes->0->'ids' as ids from muniment.audit
       where request_id = (select request_id from muniment.audit where audit_id = $1)`,
      [reply.decision.audit_id],
    );
    expect(left).toHaveLength(3);
    expect(new Set(left.map((row) => row.session_id)).size).toBe(3);
    expect(left.map((row) => [row.route_id, row.ids.length])).toEqual([
      ["chat", 2],
      ["chat", 2],
      ["chat", 2],
    ]);
  });

  it("S1-31 an import into a run that is there traces that run's own pin, not the route as it is by now", async () => {
    const who = person();
    await m.operator().putRoute("pinned", routeBody());
    const bring = (text: string) =>
      m.app().importTurns(who, { route_id: "pinned", rows: rowsFrom("a", text) });
    const { run_id } = await m.app().startRun(who, "a", { route_id: "pinned", goal: "x" });
    const changed = routeBody({ profile: { ttl_hours: 5 }, reason: "shorter" });
    await m.operator().putRoute("pinned", changed);
    const { decision } = await bring("one");
    const { rows } = await m.operator().readAudit({ run: run_id });
    expect(rows).toContainEqual(
      expect.objectContaining({
        audit_id: decision.audit_id,
        route_version: 1,
        memory_profile: expect.objectContaining({ ttl_hours: 24 }),
      }),
    );
  });

  it("S1-27 only those import who may, also where not one row could be taken", async () => {
    const who = person();
    await runOf(who);
    const rows = [{ bad: true }];
    for (const [as, kind] of [
      [m.as({ id: "r", roles: ["reader"] }), "denied"],
      [m.customer(who), "denied"],
      [m.as({ id: "s", kind: "human", roles: ["supervisor"] }), "denied"],
      [m.as({ id: "n", roles: [] }), "not_found"],
      [m.as({ id: "app", roles: ["app"], subject: "somebody else" }), "not_found"],
    ] as const) {
      expect(await refusalOf(as.importTurns(who, { route_id: "chat", rows }))).toBe(kind);
      expect(
        await refusalOf(as.importTurns(who, { route_id: "chat", rows: rowsFrom("s", "x") })),
      ).toBe(kind);
    }
    expect(await take(who, rows)).toMatchObject({
      imported: 0,
      refused: 1,
      decision: { verdict: "allow", policy_ids: [expect.any(String)] },
    });
    expect(await refusalOf(m.app().importTurns(who, { route_id: "nowhere", rows }))).toBe(
      "not_found",
    );
  });

  it("S1-05 a route that keeps no conversation takes no import", async () => {
    await m.operator().putRoute("quiet", routeBody({ profile: { conversation: "none" } }));
    expect(
      await refusalOf(
        m.app().importTurns(person(), { route_id: "quiet", rows: rowsFrom("s", "x") }),
      ),
    ).toBe("mode_none");
  });

  it("S1-09 the same source ids of two people are different sources", async () => {
    const [a, b] = [person(), person()] as const;
    expect(await take(a, rowsFrom("s", "mine"))).toMatchObject({ imported: 1 });
    expect(await take(b, rowsFrom("s", "mine too"))).toMatchObject({ imported: 1 });
    expect((await recalled(a, "mine")).map((hit) => hit.text)).toEqual(["mine"]);
  });

  it("S4-30 two workspaces import a session and sources of the same names, and each gets its own turns", async () => {
    const who = person();
    await take(who, rowsFrom("s", "the walrus of ours"));
    const other = m.as({ id: "app", roles: ["app"], workspace: "other" });
    const rows = [...rowsFrom("s", "the walrus of theirs"), ...rowsFrom("t", "their other walrus")];
    expect(await other.importTurns(who, { route_id: "chat", rows })).toMatchObject({ imported: 2 });
    const { run_id } = await other.startRun(who, "s", { route_id: "chat", goal: "x" });
    const theirs = await other.recallTurns(run_id, { query: "walrus" });
    expect(theirs.hits.map(({ text }) => text).toSorted()).toEqual(
      rows.map(({ text }) => text).toSorted(),
    );
    expect((await recalled(who, "walrus")).map(({ text }) => text)).toEqual(["the walrus of ours"]);
  });

  it("S3-06 250 turns of one session keep their order, and a page walk shows a session's turns once each", async () => {
    const who = person();
    const texts = Array.from({ length: 250 }, (_, n) => `turn ${n}`);
    expect(await take(who, rowsFrom("long", ...texts))).toMatchObject({ imported: 250 });
    const rows = await m.db.query<{ seq: number }>(
      `select t.seq::int as seq from muniment.turn t join muniment.audit a on a.session_id = t.session_id
       where a.request_id = (select request_id from muniment.audit order by audit_id desc limit 1) group by t.seq order by t.seq`,
    );
    expect(rows.map((row) => row.seq)).toEqual(texts.map((_, index) => index + 1));
    const run = await runOf(who, "live");
    for (let n = 0; n < 100; n += 50)
      await m.app().appendTurns(run, {
        turns: texts.slice(n, n + 50).map((text) => ({ role: "user", text })),
      });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await m
        .app()
        .listTurns(run, { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.turns.map((turn) => turn.text));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(texts.slice(0, 100).toReversed());
  });
});
