import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { Touched } from "../../domain/trace.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** An allowed operation that wrote something of the subject's, as its audit row tells it. */
export interface WriteRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly auditId: string;
  readonly recordedAt: Date;
  readonly operation: string;
  readonly principalRef: string;
  readonly principalKind: string;
  readonly policyIds: readonly string[];
  readonly runId: RunId | null;
  readonly reads: readonly Touched[];
  readonly writes: readonly Touched[];
}

/**
 * Writes of the subject at given instants, newest first: a row and the audit row of its write carry one instant, since
 * both take the permit's. `moments` come from rows that this permit has read.
 */
export function listWrites(
  permit: Permit,
  moments: readonly Date[],
  limit: number,
): Statement<WriteRow> {
  const { tenant, subject, workspace } = runScope(permit);
  return rechecked(
    { subject: true },
    sql<WriteRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", audit_id as "auditId", recorded_at as "recordedAt", operation,
        principal_ref as "principalRef", principal_kind as "principalKind", policy_ids as "policyIds", run_id as "runId",
        memory_reads as reads, memory_writes as writes
      from muniment.audit
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace}
        and recorded_at = any(${moments}::timestamptz[]) and verdict = 'allow' and memory_writes <> '[]'::jsonb
      order by audit_id desc
      limit ${limit}`,
  );
}
