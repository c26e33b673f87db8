import type { Scope } from "../domain/permit.js";
import type { Recheck, Statement } from "./sql.js";
import type { OnAlarm } from "./store.js";

type Row = Readonly<Record<string, unknown>>;

/** An id that the scope lacks is equal to nothing: never a wider answer. */
function same(row: Row, column: string, expected: string | undefined): string | null {
  return expected !== undefined && row[column] === expected ? null : column;
}

function subjectFault(row: Row, scope: Scope): string | null {
  const tenantFault = same(row, "tenantId", scope.tenant);
  if (tenantFault !== null) return tenantFault;
  // A permit of tenant breadth that names no subject reads rows of all of them.
  if (scope.subject === undefined && scope.breadth === "tenant") {
    return row.subjectId === undefined ? "subjectId" : null;
  }
  return same(row, "subjectId", scope.subject);
}

function routeFault(row: Row, scope: Scope): string | null {
  return scope.recallFrom.some((route) => route === row.routeId) ? null : "routeId";
}

function expiryFault(row: Row, scope: Scope): string | null {
  return row.expiresAt instanceof Date && row.expiresAt > scope.now ? null : "expiresAt";
}

function epochFault(row: Row): string | null {
  return typeof row.epoch === "number" && row.epoch === row.currentEpoch ? null : "epoch";
}

/** Name of the first column that doesn't match the scope; null where the row belongs to it. */
function faultOf(row: Row, rule: Recheck, scope: Scope): string | null {
  return (
    subjectFault(row, scope) ??
    (rule.workspace ? same(row, "workspaceId", scope.workspace) : null) ??
    (rule.session ? same(row, "sessionId", scope.session) : null) ??
    (rule.run ? same(row, "runId", scope.run) : null) ??
    (rule.recallFrom ? routeFault(row, scope) : null) ??
    (rule.expiry ? expiryFault(row, scope) : null) ??
    (rule.epoch ? epochFault(row) : null)
  );
}

function tableOf(text: string): string {
  return /\b(?:from|into|update)\s+muniment\.(\w+)/i.exec(text)?.[1] ?? "unknown";
}

/**
 * Checks each row again against the permit's scope before it leaves storage. A row that doesn't belong, or lacks a
 * column that the rule needs, is left out; one alarm for each such column names it and counts the rows, never a value.
 */
export function recheckRows(
  statement: Statement,
  rows: readonly Row[],
  scope: Scope,
  onAlarm: OnAlarm,
): readonly Row[] {
  const rule = statement.recheck;
  if (rule === undefined) return rows;
  const faults = new Map<string, number>();
  const kept = rows.filter((row) => {
    const fault = faultOf(row, rule, scope);
    if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return fault === null;
  });
  for (const [column, count] of faults) {
    onAlarm({
      what: "recheck",
      table: tableOf(statement.text),
      detail: `${column} of ${count} row${count === 1 ? "" : "s"} is not the permit's`,
    });
  }
  return kept;
}
