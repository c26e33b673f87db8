/** One test for each fence, which only that fence can turn green. `fences.json` says how each is taken out. */
import { beforeAll, describe, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import type { Permit } from "../../src/domain/permit.js";
import { Unmet } from "../../src/domain/unmet.js";
import { insertAudit } from "../../src/storage/queries/audit-insert.js";
import { touchEvidence } from "../../src/storage/queries/subject-touch.js";
import { listTurnsBySession } from "../../src/storage/queries/turn-list-by-session.js";
import { sessionScope } from "../../src/storage/scope.js";
import { rechecked, sql } from "../../src/storage/sql.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { type TwoBanks, twoBanks } from "./two-banks.js";

interface Found {
  readonly turnId: string;
}

const TURNS_MAX = 100;

function auditRow(permit: Permit, requestId: string) {
  return insertAudit(permit, {
    auditId: trustedId<"AuditId">(crypto.randomUUID()),
    principal: trustedId<"PrincipalRef">(crypto.randomUUID()),
    principalKind: "service",
    workspace: permit.scope.workspace,
    requestId,
    trace: {
      operation: permit.action,
      decision: permit.decision,
      ...(permit.scope.subject === undefined ? {} : { subject: permit.scope.subject }),
      isolationKeys: [],
      reads: [],
      writes: [],
      ttl: { clock: "none", hours: null, expires_at: null },
    },
  });
}

describeEachDatabase("fences", (database) => {
  let db: TestDatabase;
  let banks: TwoBanks;

  beforeAll(async () => {
    db = await database.open();
    banks = await twoBanks(db);
  });

  async function listTurns(): Promise<readonly string[]> {
    const permit = banks.permit();
    const [rows] = await db.store.transact(permit, (tx) =>
      tx.commit([listTurnsBySession(permit, TURNS_MAX, null)]),
    );
    return rows.map(({ turnId }) => turnId);
  }

  it("S1-09 leak: listing a session's turns gives its own and nobody else's", async () => {
    expect(await listTurns()).toEqual(banks.turns.own);
  });

  it("S5-02 row-level security: a statement without a filter sees its own subject only", async () => {
    const [rows] = await db.store.transact(banks.permit(), (tx) =>
      tx.commit([
        sql<Found>`select turn_id as "turnId" from muniment.turn order by turn_id limit 100`,
      ]),
    );
    const { own, otherSession } = banks.turns;
    expect(rows.map(({ turnId }) => turnId).sort()).toEqual([...own, ...otherSession].sort());
  });

  it("S5-01 statement filter: what it lets through needs no second look", async () => {
    const before = db.alarms.length;
    expect(await listTurns()).toEqual(banks.turns.own);
    expect(db.alarms.slice(before)).toEqual([]);
  });

  it("S5-01 recheck: a row outside the permit is dropped, and raises an alarm", async () => {
    const before = db.alarms.length;
    const unfiltered = rechecked(
      { subject: true, session: true },
      sql<Found>`
        select tenant_id as "tenantId", subject_id as "subjectId", session_id as "sessionId", turn_id as "turnId"
        from muniment.turn order by seq desc limit 100`,
    );
    const [rows] = await db.store.transact(banks.permit(), (tx) => tx.commit([unfiltered]));
    expect(rows.map(({ turnId }) => turnId)).toEqual(banks.turns.own);
    expect(db.alarms.slice(before)).toMatchObject([{ what: "recheck", table: "turn" }]);
  });

  it("S1-31 audit row: it is there once the transaction has committed", async () => {
    const permit = banks.permit();
    const request = crypto.randomUUID();
    await db.store.transact(permit, (tx) => tx.commit([auditRow(permit, request)]));
    const rows = await db.query("select tenant_id from muniment.audit where request_id = $1", [
      request,
    ]);
    expect(rows).toEqual([{ tenant_id: banks.jane.tenant }]);
  });

  describe("when the subject has ended", () => {
    beforeAll(async () => {
      const { tenant, subject } = banks.jane;
      await db.query(
        "update muniment.subject set state = 'ended' where tenant_id = $1 and subject_id = $2",
        [tenant, subject],
      );
    });

    it("S5-02 subject state: nothing of it is read", async () => {
      expect(await listTurns()).toEqual([]);
    });

    it("S5-02 subject state: nothing of it is written", async () => {
      const permit = banks.permit();
      const touch = touchEvidence(sessionScope(permit), 1);
      const writing = db.store.transact(permit, (tx) => tx.commit([touch]));
      await expect(writing).rejects.toThrow(new Unmet("subject_gone"));
    });
  });
});
