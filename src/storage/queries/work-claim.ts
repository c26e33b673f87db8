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
 * Where jobs of the kind go one after the other, holds their person's row: whoever takes or ends another one waits, so that the
 * next statement sees what was waited for.
 */
export function lockPersonOf(permit: Permit<"run_work">, workId: string): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    with held as (
      select u.subject_id from muniment.subject u
      join muniment.work w on w.tenant_id = u.tenant_id and w.subject_id = u.subject_id
      where u.tenant_id = ${tenant} and w.work_id = ${workId}::uuid and w.kind in ('observe_session', 'consolidate_subject')
      for no key update of u
    )
    select count(*) from held`;
}

/**
 * Takes a job that waits, or whose worker vanished, under a lease. No row where it is done, parked, in somebody's hands, or
 * about a subject that has ended. A person's sessions are observed one after the other, in the order in which they began, and
 * their model is made by one job at a time: none while another one runs, which hands out the next when it ends, nor before
 * one that comes first and hasn't been tried yet.
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
        and not exists (
          select 1 from muniment.work o
          where w.kind in ('observe_session', 'consolidate_subject') and o.kind = w.kind and o.tenant_id = ${tenant}
            and o.subject_id = w.subject_id and o.workspace_id = w.workspace_id and o.work_id <> w.work_id
            and ((o.state = 'running' and o.lease_until > ${now})
              or (o.state = 'queued' and o.attempts = 0 and o.problem is null
                and (coalesce(o.session_id, o.work_id), o.work_id) < (coalesce(w.session_id, w.work_id), w.work_id))))
      returning w.tenant_id as "tenantId", w.subject_id as "subjectId", w.work_id as "workId", w.kind, u.key_id as "keyId",
        w.workspace_id as "workspaceId", w.session_id as "sessionId", w.detail, w.attempts`,
  );
}

/** A row where the job still waits behind others and none of them runs: whoever comes first may go without having been run. */
export function findWaiting(
  permit: Permit<"run_work">,
  workId: string,
): Statement<{ readonly workId: string }> {
  const { tenant, now } = tenantScope(permit);
  return sql<{ readonly workId: string }>`
    select w.work_id as "workId" from muniment.work w
    join muniment.subject u on u.tenant_id = w.tenant_id and u.subject_id = w.subject_id and u.state = 'active'
    where w.tenant_id = ${tenant} and w.work_id = ${workId}::uuid and w.state = 'queued'
      and not exists (
        select 1 from muniment.work o
        where o.tenant_id = ${tenant} and o.subject_id = w.subject_id and o.workspace_id = w.workspace_id and o.kind = w.kind
          and o.state = 'running' and o.lease_until > ${now})
    order by w.work_id
    limit 1`;
}
