import { beforeAll, expect, it } from "vitest";
import { createServices } from "../../src/compose/open.js";
import { trustedId } from "../../src/domain/ids.js";
import { type LedgerLine, NO_MARKS } from "../../src/domain/ledger.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

/** Parents before what points to them: the other way round than they are erased. */
const TABLES = [...SUBJECT_TABLES].reverse();

describeEachDatabase("replay of the ledger", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function person() {
    const subject = `person-${names++}`;
    const asked = { route_id: "chat", goal: "x" };
    const { run_id: run } = await m.app().startRun(subject, "main", asked);
    await m.app().appendTurns(run, { turns: [{ role: "user", text: `I am ${subject}` }] });
    const [row] = await m.db.query<{ subject_id: string; key_id: string; tenant_id: string }>(
      "select s.subject_id, s.key_id, s.tenant_id from muniment.run r join muniment.subject s using (subject_id) where run_id = $1",
      [run],
    );
    return { subject, run, id: row?.subject_id ?? "", key: row?.key_id ?? "" };
  }

  /** A process that starts over the same database and custody. */
  const start = () => {
    const { store, keyring, clock } = m.services;
    return replayLedger(createServices({ store, keyring, clock, onAlarm: () => undefined }));
  };
  const tenantId = async () => (await m.services.directory.tenant("bank-au")).tenantId;
  const rowsOf = async (id: string) => {
    const counts = await Promise.all(
      TABLES.map((table) =>
        m.db.query<{ n: number }>(
          `select count(*)::int as n from muniment.${table} where subject_id = $1`,
          [id],
        ),
      ),
    );
    return counts.reduce((sum, [row]) => sum + (row?.n ?? 0), 0);
  };

  /** What a backup of the database would have of a person, and the way back to it. */
  async function backUp({ id }: { readonly id: string }): Promise<() => Promise<void>> {
    const schema = `backup_${names++}`;
    await m.db.query(`create schema ${schema}`);
    for (const table of TABLES)
      await m.db.query(
        `create table ${schema}.${table} as select * from muniment.${table} where subject_id = '${id}'`,
      );
    const [head] = await m.db.query<{ seq: number; mac: string }>(
      "select seq::int, mac from muniment.ledger_head",
    );
    return async () => {
      await m.db.query("update muniment.subject set state = 'active' where subject_id = $1", [id]);
      for (const table of TABLES)
        await m.db.query(`insert into muniment.${table} select * from ${schema}.${table}`);
      await m.db.query("delete from muniment.erasure where subject_id = $1", [id]);
      await m.db.query(
        "delete from muniment.tombstone t where not exists (select 1 from muniment.erasure e where e.erasure_id = t.erasure_id)",
      );
      if (head === undefined) await m.db.query("delete from muniment.ledger_head");
      else
        await m.db.query("update muniment.ledger_head set seq = $1, mac = $2", [
          head.seq,
          head.mac,
        ]);
    };
  }

  it("S5-09 S2-28 a person who was erased after the backup is erased again, before anything is served", async () => {
    const [jane, tom] = [await person(), await person()];
    const restore = await backUp(jane);
    const before = await rowsOf(tom.id);
    const { decision: _, ...receipt } = await m.privacy().eraseSubject(jane.subject, {});
    await restore();
    expect(await rowsOf(jane.id)).toBeGreaterThan(0);
    expect(await start()).toEqual([{ tenant: "bank-au", replayed: 1 }]);
    expect(await rowsOf(jane.id)).toBe(0);
    expect(await rowsOf(tom.id)).toBe(before);
    expect(await refusalOf(m.operator().listFields(jane.subject))).toBe("not_found");
    const verified = await m.privacy().verifyErasure(receipt.erasure_id, { receipt });
    expect(verified).toMatchObject({ ok: true, signature: "valid" });
    expect(await start()).toEqual([{ tenant: "bank-au", replayed: 0 }]);
  });

  const intentOf = async (
    { id, key, subject }: { readonly id: string; readonly key: string; readonly subject: string },
    erasureId: string,
  ): Promise<LedgerLine> => ({
    step: "intent",
    erasureId: trustedId<"ErasureId">(erasureId),
    reason: "erase",
    basis: "data_subject_request",
    scope: "subject",
    target: id,
    subject: trustedId<"SubjectId">(id),
    keyId: trustedId<"KeyId">(key),
    subjectMac: (await m.services.keyring.ledger.key(await tenantId())).mac("subject", subject),
    ...NO_MARKS,
    at: m.clock.now(),
  });

  it("S5-08 an erasure that ended with its intent is done at the next start", async () => {
    const someone = await person();
    const erasureId = crypto.randomUUID();
    await m.services.keyring.ledger.append(await tenantId(), [await intentOf(someone, erasureId)]);
    expect(await rowsOf(someone.id)).toBeGreaterThan(0);
    await start();
    expect(await rowsOf(someone.id)).toBe(0);
    expect(await m.privacy().readErasure(erasureId)).toMatchObject({ state: "closed" });
  });

  it("S5-08 one whose rows are gone and whose key isn't is finished, at the next start or when it is asked for again", async () => {
    for (const goOn of ["start", "ask"] as const) {
      const someone = await person();
      const { erasure_id: id } = await m.privacy().eraseSubject(someone.subject, {});
      await m.db.query(
        "update muniment.erasure set state = 'blocked', closed_at = null, receipt = null where erasure_id = $1",
        [id],
      );
      expect(await m.privacy().readErasure(id)).toMatchObject({ state: "blocked", receipt: null });
      if (goOn === "start") await start();
      else await m.privacy().eraseSubject(someone.subject, {});
      const { receipt, state } = await m.privacy().readErasure(id);
      expect(state).toBe("closed");
      expect(receipt?.stores.every(({ found }) => found === 0)).toBe(true);
    }
  });

  it("S5-08 a receipt that was changed isn't valid, and one of another erasure neither", async () => {
    const [one, two] = [await person(), await person()];
    const { decision: _, ...first } = await m.privacy().eraseSubject(one.subject, {});
    const { decision: __, ...second } = await m.privacy().eraseSubject(two.subject, {});
    const verify = (receipt: object) => m.privacy().verifyErasure(first.erasure_id, { receipt });
    expect(await verify(first)).toMatchObject({ ok: true, signature: "valid" });
    expect(await verify({ ...first, reason: "policy" })).toMatchObject({
      ok: false,
      signature: "invalid",
    });
    expect(await verify(second)).toMatchObject({ ok: false, signature: "invalid" });
  });

  it("S5-09 a custody older than the database, or another one, is refused with what to do", async () => {
    const someone = await person();
    await m.privacy().eraseSubject(someone.subject, {});
    await start();
    const [head] = await m.db.query<{ seq: number; mac: string }>(
      "select seq::int, mac from muniment.ledger_head",
    );
    const set = (seq: number, mac: string) =>
      m.db.query("update muniment.ledger_head set seq = $1, mac = $2", [seq, mac]);
    const { seq, mac } = head ?? { seq: 0, mac: "" };
    await set(seq + 1, mac);
    expect(await refusedWith(start())).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("bring back the newer one"),
    });
    await set(seq, "0".repeat(mac.length));
    expect(await refusedWith(start())).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("bring back the custody that belongs to it"),
    });
    await set(seq, mac);
    await start();
  });

  it("S5-08 a text that was only ever sealed stands nowhere as it is", async () => {
    const { run } = await person();
    const sentinel = "numbat-sentinel-31337";
    await m.app().appendTurns(run, { turns: [{ role: "user", text: sentinel }] });
    const { stores } = await m.privacy().findText({ text: sentinel });
    expect(stores.filter(({ found }) => found > 0)).toEqual([]);
    expect(stores.map(({ name }) => name)).toEqual(expect.arrayContaining(["turn", "queue.job"]));
    const seen = await m.privacy().findText({ text: run });
    expect(seen.stores.find(({ name }) => name === "run")).toEqual({ name: "run", found: 1 });
  });
});
