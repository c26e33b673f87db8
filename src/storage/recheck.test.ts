import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import type { Scope } from "../domain/permit.js";
import { recheckRows } from "./recheck.js";
import { type Recheck, rechecked, sql } from "./sql.js";
import type { Alarm } from "./store.js";

const NOW = new Date("2026-03-01T09:30:00Z");

const SCOPE: Scope = {
  tenant: trustedId<"TenantId">("tenant-x"),
  workspace: trustedId<"WorkspaceId">("workspace-x"),
  breadth: "subject",
  subject: trustedId<"SubjectId">("jane"),
  session: trustedId<"SessionId">("session-a"),
  run: trustedId<"RunId">("run-a"),
  recallFrom: [trustedId<"RouteId">("fee_explain")],
  now: NOW,
};

const RULE: Recheck = {
  subject: true,
  workspace: true,
  session: true,
  run: true,
  recallFrom: true,
  expiry: true,
  epoch: true,
};

const ROW = {
  tenantId: "tenant-x",
  subjectId: "jane",
  workspaceId: "workspace-x",
  sessionId: "session-a",
  runId: "run-a",
  routeId: "fee_explain",
  expiresAt: new Date(NOW.getTime() + 1),
  epoch: 2,
  currentEpoch: 2,
  text: "sentinel-5f1c",
};

function check(
  rows: readonly Record<string, unknown>[],
  rule: Recheck = RULE,
  scope: Scope = SCOPE,
): { kept: number; alarms: Alarm[] } {
  const alarms: Alarm[] = [];
  const statement = rechecked(
    rule,
    sql`select 1 from muniment.turn t where t.tenant_id = ${scope.tenant}`,
  );
  const kept = recheckRows(statement, rows, scope, (alarm) => alarms.push(alarm));
  return { kept: kept.length, alarms };
}

describe("recheck of rows", () => {
  it("S5-01 a row of the permit passes without an alarm", () => {
    expect(check([ROW, ROW])).toEqual({ kept: 2, alarms: [] });
  });

  it.each([
    ["tenantId", "tenant-y"],
    ["subjectId", "tom"],
    ["workspaceId", "workspace-y"],
    ["sessionId", "session-b"],
    ["runId", "run-b"],
    ["routeId", "payment_initiate"],
    ["expiresAt", NOW],
    ["expiresAt", null],
    ["expiresAt", "2099-01-01"],
    ["epoch", 1],
  ])(
    "S5-03 a row whose %s is %s is dropped, with an alarm that says where and no value",
    (column, value) => {
      const { kept, alarms } = check([
        ROW,
        { ...ROW, [column]: value },
        { ...ROW, [column]: value },
      ]);
      expect(kept).toBe(1);
      expect(alarms).toEqual([
        { what: "recheck", table: "turn", detail: `${column} of 2 rows is not the permit's` },
      ]);
      expect(JSON.stringify(alarms)).not.toContain("sentinel");
    },
  );

  it.each(Object.keys(ROW).filter((column) => column !== "text"))(
    "S5-01 a row without %s is dropped: what can't be checked isn't shown",
    (column) => {
      const { [column]: _left, ...rest } = ROW as Record<string, unknown>;
      expect(check([rest]).kept).toBe(0);
    },
  );

  it.each(["subject", "session", "run"] as const)(
    "S1-08 a permit without a %s shows no row that is checked by it",
    (key) => {
      const { [key]: _left, ...rest } = SCOPE;
      expect(check([ROW], RULE, rest).kept).toBe(0);
      const { [`${key}Id`]: _id, ...row } = ROW as Record<string, unknown>;
      expect(check([row], RULE, rest).kept).toBe(0);
    },
  );

  it("S1-09 a tenant-wide permit sees rows of all subjects and of no other tenant", () => {
    const { subject: _subject, ...rest } = SCOPE;
    const wide: Scope = { ...rest, breadth: "tenant" };
    const rows = [
      ROW,
      { ...ROW, subjectId: "tom" },
      { ...ROW, subjectId: null },
      { ...ROW, tenantId: "tenant-y" },
    ];
    expect(check(rows, { subject: true }, wide).kept).toBe(3);
  });

  it("a statement without a rule is passed through", () => {
    const rows = [{ n: 1 }];
    expect(recheckRows(sql`select 1`, rows, SCOPE, () => expect.fail())).toBe(rows);
  });
});
