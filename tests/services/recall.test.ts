import { beforeAll, expect, it } from "vitest";
import { operationsOf } from "../../src/compose/bound-operations.js";
import { MunimentError } from "../../src/domain/errors.js";
import type { KeyId, SubjectId, TenantId } from "../../src/domain/ids.js";
import type { Permit } from "../../src/domain/permit.js";
import { NEXT_STEP } from "../../src/recall/outcome.js";
import type { Transaction } from "../../src/storage/store.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

/** The index of a row's subject. */
function ownerOf(row: { readonly tenant_id: TenantId; readonly subject_id: SubjectId }) {
  return { tenant: row.tenant_id, subject: row.subject_id, kind: "turn" as const };
}

describeEachDatabase("recall", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("fee_explain", routeBody());
    await m.operator().putRoute("account_history", routeBody({ recall_from: ["fee_explain"] }));
    await m
      .operator()
      .putRoute("payment", routeBody({ risk: "high", profile: { long_term: "none" } }));
    await m.operator().putRoute("other_topic", routeBody());
  });

  async function start(subject: string, route_id: string, session: string) {
    return (await m.app().startRun(subject, session, { route_id, goal: "Ask" })).run_id;
  }

  async function say(subject: string, route: string, session: string, ...texts: string[]) {
    const run = await start(subject, route, session);
    await m
      .app()
      .appendTurns(run, { turns: texts.map((text) => ({ role: "user", text, speaker: "Jane" })) });
    return run;
  }

  it("S1-20 a turn of one route comes back under its own route and those that list it, and under no other", async () => {
    const run = await say("ann", "fee_explain", "s1", "I disputed the ATM fee of $42");
    expect((await m.app().recallTurns(run, { query: "ATM fee" })).hits).toHaveLength(1);
    expect(
      (await m.app().recallTurns(await start("ann", "account_history", "s2"), { query: "ATM fee" }))
        .hits,
    ).toHaveLength(1);
    const other = await m
      .app()
      .recallTurns(await start("ann", "other_topic", "s3"), { query: "ATM fee" });
    expect(other).toMatchObject({ outcome: "no_matches", hits: [], coverage: { searched: 0 } });
  });

  it("S1-31 S5-02 the audit row names the turns that were shown, also where the person stands still", async () => {
    const run = await say("sue", "fee_explain", "s1", "a walrus", "an otter", "the walrus again");
    for (let look = 0; look < 4; look += 1) {
      const { hits, decision } = await m.app().recallTurns(run, { query: "walrus", limit: 2 });
      const { rows } = await m.operator().readAudit({ run, limit: 1 });
      expect(rows[0]).toMatchObject({
        audit_id: decision.audit_id,
        memory_reads: [{ kind: "turn", ids: hits.map((hit) => hit.turn_id) }],
        ttl_policy: { clock: "evidence", expires_at: expect.any(String) },
      });
      expect(hits).toHaveLength(2);
    }
  });

  it("S1-13 under long_term none the memory isn't asked, and the refusal is audited", async () => {
    await say("ann", "fee_explain", "s4", "last week's dispute");
    const run = await start("ann", "payment", "s5");
    expect(await refusalOf(m.app().recallTurns(run, { query: "dispute" }))).toBe("mode_none");
    expect(await refusalOf(m.app().assemble(run, { recall: { query: "dispute" } }))).toBe(
      "mode_none",
    );
    const { rows } = await m.operator().readAudit({ run, verdict: "deny", limit: 10 });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      operation: "assemble",
      refusal: "mode_none",
      memory_reads: [],
    });
  });

  it("S1-20 a route outside the allowlist can't be asked for", async () => {
    const run = await start("ann", "account_history", "s6");
    expect(
      (await m.app().recallTurns(run, { query: "fee", source_routes: ["fee_explain"] })).hits
        .length,
    ).toBeGreaterThan(0);
    expect(
      await refusalOf(m.app().recallTurns(run, { query: "fee", source_routes: ["other_topic"] })),
    ).toBe("denied");
  });

  it("S1-22 asking for everything of a user at once is denied by policy, and audited so", async () => {
    const run = await start("ann", "fee_explain", "s7");
    const all = { query: "fee", all_routes: true };
    expect(await refusalOf(m.app().recallTurns(run, all))).toBe("denied");
    expect(await refusalOf(m.app().assemble(run, { recall: all }))).toBe("denied");
    const denied = { refusal: "denied", policy_ids: ["recall_of_everything"] };
    const { rows } = await m.operator().readAudit({ run });
    expect(rows.slice(0, 2)).toMatchObject([denied, denied]);
    for (const all_routes of [false, "yes", 1, null]) {
      expect(await refusalOf(m.app().recallTurns(run, { query: "fee", all_routes }))).toBe(
        "invalid_input",
      );
    }
  });

  it("S4-10 S4-11 the caller gives a query and a bounded limit; 0 means none and a cap is said", async () => {
    const run = await say(
      "bob",
      "fee_explain",
      "s1",
      ...Array.from({ length: 12 }, (_, index) => `note ${index} about tea`),
    );
    expect((await m.app().recallTurns(run, { query: "tea", limit: 3 })).hits).toHaveLength(3);
    expect((await m.app().recallTurns(run, { query: "tea", limit: 0 })).hits).toEqual([]);
    expect((await m.app().recallTurns(run, { query: "tea" })).coverage).toEqual({
      searched: 12,
      of: 12,
      capped: false,
      pending: 0,
    });
    for (const limit of [-1, 1.5, 1e9, "abc", null, [5]]) {
      expect(await refusalOf(m.app().recallTurns(run, { query: "tea", limit }))).toBe(
        "invalid_input",
      );
    }
  });

  it("S4-12 matches carry source, speaker and time; no match says that it proves nothing", async () => {
    const run = await say("cleo", "fee_explain", "s1", "My order is 4471-0093");
    const found = await m.app().recallTurns(run, { query: "4471 0093" });
    expect(found.outcome).toBe("matches");
    expect(found.hits[0]).toMatchObject({
      text: "My order is 4471-0093",
      speaker: "Jane",
      source: { run_id: run, route_id: "fee_explain", seq: 1 },
    });
    expect(found.hits[0]?.observed_at).toMatch(/Z$/);
    const none = await m.app().recallTurns(run, { query: "giraffe" });
    expect(none).toMatchObject({ outcome: "no_matches", hits: [] });
    expect(none.next_step).toContain("not proof");
  });

  it("S4-10 a turn is found right after it was said, in the process that knew the subject before", async () => {
    const run = await say("dora", "fee_explain", "s1", "first");
    await m.app().recallTurns(run, { query: "first" });
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "marker-123" }] });
    expect((await m.app().recallTurns(run, { query: "marker-123" })).hits[0]?.text).toBe(
      "marker-123",
    );
  });

  it("S4-10 an older index that another request puts into the cache meanwhile loses no turn", async () => {
    const run = await say("ida", "fee_explain", "s1", "first walrus");
    await m.app().recallTurns(run, { query: "walrus" });
    const [at] = await m.db.query<{ tenant_id: TenantId; subject_id: SubjectId; key_id: KeyId }>(
      `select r.tenant_id, r.subject_id, s.key_id from muniment.run r
       join muniment.subject s using (tenant_id, subject_id) where r.run_id = $1`,
      [run],
    );
    if (at === undefined) throw new Error("the run is there");
    const { indexes, store } = m.services;
    const older = indexes.peek(ownerOf(at))?.index;
    if (older === undefined) throw new Error("the subject is indexed");
    indexes.drop(at.tenant_id, at.subject_id);
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "second walrus" }] });
    await m.app().recallTurns(run, { query: "walrus" });
    await m.app().appendTurns(run, { turns: [{ role: "user", text: "third walrus" }] });
    const version = { keyId: at.key_id, purgeRevision: 0 };
    const disturbed = {
      ...m.services,
      store: {
        ...store,
        transact: <R>(permit: Permit, body: (tx: Transaction) => Promise<R>) =>
          store.transact(permit, (tx) =>
            body({
              send: (statements) => {
                indexes.put(ownerOf(at), version, older);
                return tx.send(statements);
              },
              commit: (statements) => tx.commit(statements),
              commitOpening: (reads, writes, open) => tx.commitOpening(reads, writes, open),
            }),
          ),
      },
    };
    const claims = { issuer: "test", id: "app", kind: "service", roles: ["app"] } as const;
    const app = operationsOf(disturbed, { ...claims, tenant: "bank-au", workspace: "default" });
    expect((await app.recallTurns(run, { query: "walrus" })).hits).toHaveLength(3);
    expect((await m.app().recallTurns(run, { query: "walrus" })).hits).toHaveLength(3);
  });

  it("S4-11 a turn that ended between its ranking and its reading leaves its place to the next best", async () => {
    const texts = [
      "the walrus fee",
      "a walrus",
      "one more walrus sang",
      "a last walrus slept here",
    ];
    const run = await say("jo", "fee_explain", "s1", ...texts);
    const ask = async () =>
      (await m.app().recallTurns(run, { query: "walrus fee", limit: 2 })).hits.map(
        (hit) => hit.text,
      );
    const [best, second] = await ask();
    expect(best).toBe("the walrus fee");
    await m.db.query("delete from muniment.turn where run_id = $1 and seq = 1", [run]);
    const left = await ask();
    expect(left).toHaveLength(2);
    expect(left[0]).toBe(second);
  });

  it.each(["recallTurns", "recallEpisodes", "recallObservations"] as const)(
    "S4-12 %s tells nobody there and a database that is away apart, each with what to do next",
    async (recall) => {
      const run = await say("vic", "fee_explain", "s1", "a walrus");
      const asked = { query: "walrus" };
      await expect(m.app()[recall](crypto.randomUUID(), asked)).rejects.toMatchObject({
        kind: "not_found",
        nextStep: NEXT_STEP.no_subject,
      });
      const isAway = new MunimentError("unavailable", "the database is not available");
      const store = { ...m.services.store, transact: () => Promise.reject(isAway) };
      const claims = { issuer: "test", id: "app", kind: "service", roles: ["app"] } as const;
      const named = { ...claims, tenant: "bank-au", workspace: "default" };
      await m.app()[recall](run, asked);
      await expect(
        operationsOf({ ...m.services, store }, named)[recall](run, asked),
      ).rejects.toMatchObject({ kind: "unavailable", nextStep: NEXT_STEP.unavailable });
    },
  );

  it("S4-12 a turn that isn't searchable yet is told to whom may recall it, and to nobody else", async () => {
    const run = await say("joe", "fee_explain", "s1", "a walrus");
    const other = await say("joe", "other_topic", "s2", "another walrus");
    await m.db.query("update muniment.turn set terms_sealed = content_sealed where run_id = $1", [
      other,
    ]);
    for (let round = 0; round < 2; round++) {
      const coverageFor = async (from: string) =>
        (await m.app().recallTurns(from, { query: "walrus" })).coverage;
      expect(await coverageFor(run)).toEqual({ searched: 1, of: 1, capped: false, pending: 0 });
      expect(await coverageFor(other)).toEqual({ searched: 0, of: 1, capped: false, pending: 1 });
    }
  });

  it("S4-29 a turn past its evidence clock leaves the index of a subject who goes on talking", async () => {
    const run = await say("meg", "fee_explain", "s1", "a walrus", "a second walrus");
    await m.db.query("update muniment.turn set evidence_until = $2 where run_id = $1 and seq = 1", [
      run,
      new Date(m.clock.now().getTime() + 300_000),
    ]);
    await m.app().recallTurns(run, { query: "walrus" });
    const [at] = await m.db.query<{ tenant_id: TenantId; subject_id: SubjectId }>(
      "select tenant_id, subject_id from muniment.run where run_id = $1",
      [run],
    );
    if (at === undefined) throw new Error("the run is there");
    const indexed = () => m.services.indexes.peek(ownerOf(at))?.index.size;
    expect(indexed()).toBe(2);
    m.clock.forward({ seconds: 300 });
    expect((await m.app().recallTurns(run, { query: "walrus" })).hits).toHaveLength(1);
    expect(indexed()).toBe(1);
  });

  it("S5-03 near-identical memories of two subjects and two tenants stay apart, cold and warm", async () => {
    await m.operator("bank-nz").putRoute("fee_explain", routeBody());
    const runs = {
      eve: await say("eve", "fee_explain", "s", "I live in Porto"),
      fay: await say("fay", "fee_explain", "s", "I live in Lyon"),
    };
    const { run_id: nz } = await m
      .app("bank-nz")
      .startRun("eve", "s", { route_id: "fee_explain", goal: "x" });
    await m.app("bank-nz").appendTurns(nz, { turns: [{ role: "user", text: "I live in Oslo" }] });
    for (let round = 0; round < 2; round++) {
      for (const [who, city] of [
        ["eve", "Porto"],
        ["fay", "Lyon"],
      ] as const) {
        const { hits } = await m.app().recallTurns(runs[who], { query: "where do I live in" });
        expect(hits.map((hit) => hit.text)).toEqual([`I live in ${city}`]);
      }
      expect(
        (await m.app("bank-nz").recallTurns(nz, { query: "live in" })).hits.map((hit) => hit.text),
      ).toEqual(["I live in Oslo"]);
    }
  });

  it("S5-03 a row whose label was corrupted to another subject never shows its text, and raises an alarm", async () => {
    const gil = await say("gil", "fee_explain", "s", "gil's walrus");
    const hal = await say("hal", "fee_explain", "s", "hal's walrus");
    const [target] = await m.db.query<{ subject_id: string; session_id: string }>(
      "select subject_id, session_id from muniment.run where run_id = $1",
      [hal],
    );
    await m.db.query(
      "update muniment.turn set subject_id = $2, session_id = $3, seq = 99, revision = 99 where run_id = $1",
      [gil, target?.subject_id, target?.session_id],
    );
    const before = m.alarms.length;
    const { hits } = await m.app().recallTurns(hal, { query: "walrus" });
    expect(hits.map((hit) => hit.text)).toEqual(["hal's walrus"]);
    expect((await m.app().listTurns(hal, {})).turns.map(({ text }) => text)).toEqual([
      "hal's walrus",
    ]);
    expect(m.alarms.length).toBeGreaterThan(before);
  });

  it.each([
    'say "hi',
    "foo AND bar",
    "(python",
    "-x !x a & b <->",
    ":* *",
    "' OR 1=1--",
    "%",
    "_",
    "\\",
    "a ".repeat(2_000),
  ])("S4-10 the query %j is searched literally and never fails", async (query) => {
    const run = await start("ivy", "fee_explain", "s");
    expect(["matches", "no_matches"]).toContain(
      (await m.app().recallTurns(run, { query })).outcome,
    );
  });

  it("S4-12 a question of stop words alone falls back to the newest turns, and says so", async () => {
    const run = await say("kim", "fee_explain", "s", "older", "newer");
    const found = await m.app().recallTurns(run, { query: "what is it?" });
    expect(found.fallback).toBe("recent");
    expect(found.hits.map((hit) => hit.text)).toEqual(["newer", "older"]);
  });
});
