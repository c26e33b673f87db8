import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { forgetEnded } from "../../src/services/forget-ended.js";
import { countRemembered } from "../../src/services/forget-subject.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import { refusalOf, routeBody } from "../support/muniment.js";
import { type Instance, openTwoMuniments, type TwoMuniments } from "../support/two-muniments.js";

const said = (text: string) => ({ turns: [{ role: "user", text }] });

describe("two processes on one database (postgres 18)", () => {
  let both: TwoMuniments;

  beforeAll(async () => {
    both = await openTwoMuniments();
    await both.first.operator().putRoute("chat", routeBody());
  });

  afterAll(() => both.close());

  const start = (session: string, subject = "jane") =>
    both.first.app().startRun(subject, session, { route_id: "chat", goal: "x" });

  it("S1-09 24 first writers in two processes make one subject and one session, and none fails", async () => {
    const runs = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        (n % 2 === 0 ? both.first : both.second)
          .app()
          .startRun("new", "first", { route_id: "chat", goal: "x" }),
      ),
    );
    for (const { run_id } of runs) await both.second.app().appendTurns(run_id, said(run_id));
    expect(
      (await both.first.app().listTurns(runs[0]?.run_id ?? "", { limit: 50 })).turns,
    ).toHaveLength(24);
  });

  it("S1-09 first writers who are bound to the new person get in through both", async () => {
    const as = (n: number) =>
      (n % 2 === 0 ? both.first : both.second).as({
        id: "bob",
        kind: "human",
        subject: "bob",
        session: "s",
      });
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        as(n).startRun("bob", "s", { route_id: "chat", goal: "x" }),
      ),
    );
    expect(runs).toHaveLength(12);
  });

  it("S4-10 two processes that seal at once make each segment once, and both answer from them", async () => {
    for (const n of [0, 300]) {
      const rows = Array.from({ length: 300 }, (_, at) => ({
        session: "past",
        source_id: `past-${n + at}`,
        text: `walrus number ${n + at}`,
        observed_at: new Date(Date.UTC(2026, 0, 1) + (n + at) * 1_000).toISOString(),
      }));
      await both.first.app().importTurns("sealed", { route_id: "chat", rows });
    }
    const { run_id } = await start("sealed", "sealed");
    const reports = await Promise.all(
      [both.first, both.second, both.first].map(({ services }) => sealSegments(services)),
    );
    expect(reports.flat().reduce((total, { segments }) => total + segments, 0)).toBe(2);
    for (const one of [both.first, both.second]) {
      const { hits, coverage } = await one.app().recallTurns(run_id, { query: "number 417" });
      expect(hits[0]?.text).toBe("walrus number 417");
      expect(coverage).toMatchObject({ searched: 600, of: 600 });
    }
    expect(both.alarms).toEqual([]);
  });

  it("S2-29 a person's new data key reaches the other process at once: it reads, writes and opens its calls as before", async () => {
    const { run_id } = await start("key", "keyed");
    await both.first.app().appendTurns(run_id, said("before"));
    const bound = { id: "keyed", kind: "human", subject: "keyed", session: "key" } as const;
    const read = async (one: Instance) =>
      (await one.app().listTurns(run_id, { limit: 9 })).turns.map(({ text }) => text);
    expect(await read(both.second)).toEqual(["before"]);
    const officer = { kind: "human", roles: ["privacy_officer"] } as const;
    for (const [n, one] of [both.first, both.second, both.first].entries()) {
      const other = one === both.first ? both.second : both.first;
      expect(await one.as(officer).rotateKey("keyed", {})).toMatchObject({ state: "sealed" });
      expect(await read(other)).toContain("before");
      await other.as(bound).takeTurn("keyed", "key", said(`after ${n}`));
      await other.app().appendTurns(run_id, said(`written ${n}`));
      expect(await read(one)).toContain(`written ${n}`);
    }
    expect(both.alarms).toEqual([]);
  });

  it("S5-09 a custody that was backed up amid a rotation, before it had the key that its ledger speaks of, is refused at the start", async () => {
    const { run_id: run } = await start("main", "amid");
    await both.first.app().appendTurns(run, said("a walrus"));
    const wrapped = async () =>
      (
        await both.query(
          `select k.subject_id, k.wrapped from muniment_custody.key k
           join muniment.run r on r.subject_id::text = k.subject_id where r.run_id = $1`,
          [run],
        )
      )[0];
    const putBack = (row: Awaited<ReturnType<typeof wrapped>>) =>
      both.query("update muniment_custody.key set wrapped = $2 where subject_id = $1", [
        row?.subject_id,
        row?.wrapped,
      ]);
    const before = await wrapped();
    await both.first
      .as({ id: "petra", kind: "human", roles: ["privacy_officer"] })
      .rotateKey("amid", {});
    const after = await wrapped();
    await putBack(before);
    await expect(replayLedger(both.second.services)).rejects.toThrow(/lacks key 2 .* newer one/);
    await putBack(after);
    await replayLedger(both.second.services);
    expect((await both.second.app().listTurns(run, {})).turns).toHaveLength(1);
  });

  it("S4-10 what one process wrote the other recalls at once, cold and warm", async () => {
    const { run_id } = await start("recall");
    const recall = async (query: string) =>
      (await both.second.app().recallTurns(run_id, { query })).hits.map((hit) => hit.text);
    await both.first.app().appendTurns(run_id, said("the walrus sings"));
    expect(await recall("walrus")).toEqual(["the walrus sings"]);
    await both.first.app().appendTurns(run_id, said("a second walrus"));
    await both.second.app().appendTurns(run_id, said("a third walrus"));
    expect((await recall("walrus")).toSorted()).toEqual([
      "a second walrus",
      "a third walrus",
      "the walrus sings",
    ]);
    const rows = [
      {
        session: "old",
        source_id: "1",
        text: "walrus, imported",
        observed_at: "2020-01-01T00:00:00Z",
      },
    ];
    await both.first.app().importTurns("jane", { route_id: "chat", rows });
    expect(await recall("imported walrus")).toContain("walrus, imported");
  });

  it("S4-10 S5-08 a recall that takes a person to stand still shows what the other process wrote, and nothing that it erased", async () => {
    const run = (await start("still", "ida")).run_id;
    const recall = async (query: string) =>
      (await both.second.app().recallTurns(run, { query })).hits.map((hit) => hit.text);
    const privacy = () => both.first.as({ id: "petra", kind: "human", roles: ["privacy_officer"] });
    const stand = async () => {
      for (let look = 0; look < 10; look += 1) await recall("walrus");
    };
    const { turn_ids } = await both.first.app().appendTurns(run, said("the walrus sings"));
    await stand();
    await both.first.app().appendTurns(run, said("a second walrus"));
    expect((await recall("walrus")).toSorted()).toEqual(["a second walrus", "the walrus sings"]);
    await stand();
    await privacy().eraseScope("ida", "turn", { target: turn_ids[0] ?? "" });
    expect(await recall("walrus")).toEqual(["a second walrus"]);
    await stand();
    await privacy().eraseSubject("ida", {});
    expect(await refusalOf(both.second.app().recallTurns(run, { query: "walrus" }))).toBe(
      "not_found",
    );
    expect(await forgetEnded(both.second.services)).toBe(1);
  });

  it("S1-11 a new run of one process is the session's active one in the other, and so is its end", async () => {
    const { run_id: old } = await start("pins");
    expect((await both.second.app().takeTurn("jane", "pins", {})).run_id).toBe(old);
    const { run_id } = await start("pins");
    expect((await both.second.app().takeTurn("jane", "pins", said("hello"))).run_id).toBe(run_id);
    await both.first.app().closeRun(run_id, {});
    expect(await refusalOf(both.second.app().takeTurn("jane", "pins", {}))).toBe("run_ended");
    expect(await refusalOf(both.second.app().appendTurns(run_id, said("late")))).toBe("run_ended");
  });

  it("S1-03 a route edited in one process is what the other pins next, and live pins keep theirs", async () => {
    const live = await start("edit");
    await both.second.app().readRun(live.run_id);
    await both.first
      .operator()
      .putRoute("chat", routeBody({ tokens_max: 3_000, reason: "smaller" }));
    const next = await both.second
      .app()
      .startRun("jane", "edit 2", { route_id: "chat", goal: "x" });
    expect([live.route_version, next.route_version]).toEqual([1, 2]);
    expect((await both.second.app().assemble(live.run_id, {})).tokens_max).toBe(4_000);
    expect((await both.first.app().assemble(next.run_id, {})).tokens_max).toBe(3_000);
  });

  it("S1-05 appends through both keep one order", async () => {
    const { run_id } = await start("order");
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? both.first : both.second).app().appendTurns(run_id, said(`t${n}`)),
      ),
    );
    const { turns } = await both.first.app().listTurns(run_id, { limit: 50 });
    expect(turns.map((turn) => turn.seq)).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n));
    expect(new Set(turns.map((turn) => turn.text)).size).toBe(20);
  });

  it("S5-14 one idempotency key is one effect, whichever process is asked", async () => {
    const { run_id } = await start("idempotent");
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? both.first : both.second).app("k").appendTurns(run_id, said("once")),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect((await both.first.app().listTurns(run_id, {})).turns).toHaveLength(1);
  });

  it("S5-08 what a process remembers of somebody whom the other one erased goes soon, or with the first look; both say the same of the erasure", async () => {
    for (const how of ["soon", "verify"]) {
      const subject = `remembered-${how}`;
      const { run_id: run } = await start("main", subject);
      await both.second.app().appendTurns(run, said("a walrus"));
      await both.second.app().recallTurns(run, { query: "walrus" });
      const officer = (from: Instance) =>
        from.as({ id: "petra", kind: "human", roles: ["privacy_officer"] });
      const { erasure_id: id } = await officer(both.first).eraseSubject(subject, {});
      const [row] = await both.query(
        "select tenant_id, subject_id from muniment.erasure where erasure_id = $1",
        [id],
      );
      const left = () =>
        countRemembered(
          both.second.services,
          trustedId<"TenantId">(String(row?.tenant_id)),
          trustedId<"SubjectId">(String(row?.subject_id)),
        ).filter(({ found }) => found > 0);
      expect(left()).not.toEqual([]);
      if (how === "soon") expect(await forgetEnded(both.second.services)).toBe(1);
      else
        for (const from of [both.second, both.first])
          expect(await officer(from).verifyErasure(id, {})).toMatchObject({ ok: true });
      expect(left()).toEqual([]);
    }
  });

  it("S1-09 no integrity alarm was raised in either", () => {
    expect(both.alarms).toEqual([]);
  });
});
