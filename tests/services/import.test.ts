import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const DAY = "2020-01-01T00:00:00Z";

function rowsFrom(session: string, ...texts: readonly string[]) {
  return texts.map((text, index) => ({
    session,
    source_id: `${session}:${index}`,
    speaker: index % 2 === 0 ? "Caroline" : "Melanie",
    text,
    observed_at: DAY,
  }));
}

describeEachDatabase("import", (database) => {
  let m: TestMuniment;
  let people = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  const person = () => `person ${people++}`;
  const take = (who: string, rows: readonly unknown[]) =>
    m.app().importTurns(who, { route_id: "chat", rows });

  async function runOf(who: string, session = "now") {
    return (await m.app().startRun(who, session, { route_id: "chat", goal: "x" })).run_id;
  }

  async function recalled(who: string, query: string, limit = 50) {
    const { hits } = await m.app().recallTurns(await runOf(who), { query, limit });
    // Without those that stand beside a hit and have none of the words.
    return hits.filter((hit) => (hit.why.words ?? 0) > 0);
  }

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

  it("S1-20 imported turns belong to the route that they were imported under", async () => {
    const who = person();
    await m.operator().putRoute("apart", routeBody());
    await take(who, rowsFrom("s", "the walrus"));
    const { run_id } = await m.app().startRun(who, "t", { route_id: "apart", goal: "x" });
    expect((await m.app().recallTurns(run_id, { query: "walrus" })).hits).toEqual([]);
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
