import type { KeyId, SessionId, SubjectId, WorkId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface ClaimedWork {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly workId: WorkId;
  readonly kind: string;
  readonly keyId: KeyId;
  readonly workspaceId: WorkspaceId;
  readonly sessionId: SessionId | null;
  /** What else it is about, by its kind. */
  readonly detail: unknown;
  /** Which try this is. Fences a worker whose lease ran out: only the last one's result counts. */
  readonly attempts: number;
}

/**
 * Takes a job that waits, or whose worker vanished, under a lease. No row where it is done, parked, in somebody's hands, or
 * about a subject that has ended.
 */
export function claimWork(
  permit: Permit<"run_work">,
  workId: string,
  leaseUntil: Date,
): Statement<ClaimedWork> {
  const { tenant, now } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<ClaimedWork>`
      update muniment.work w
      set state = 'running', attempts = w.attempts + 1, problem = null, lease_until = ${leaseUntil}, changed_at = ${now}
      from muniment.subject u
      where w.tenant_id = ${tenant} and w.work_id = ${workId}::uuid and u.tenant_id = w.tenant_id
        and u.subject_id = w.subject_id and u.state = 'active'
        and (w.state = 'queued' or (w.state = 'running' and w.lease_until <= ${now}))
      returning w.tenant_id as "tenantId", w.subject_id as "subjectId", w.work_id as "workId", w.kind, u.key_id as "keyId",
        w.workspace_id as "workspaceId", w.session_id as "sessionId", w.detail, w.attempts`,
  );
}
