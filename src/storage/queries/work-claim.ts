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
  /** Which try this is. */
  readonly attempts: number;
  /** How often it was taken. Fences a worker whose lease ran out: only the last one's result counts. */
  readonly claims: number;
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

/** What became of taking a job. */
export type Taken = ClaimedWork & {
  /** False where it isn't to be done yet. */
  readonly isClaimed: boolean;
  /** Until when it is in another worker's hands; null where it is in nobody's. */
  readonly heldUntil: Date | null;
  /** How many of the person's jobs come before it. */
  readonly ahead: number;
};

/**
 * Takes a job that waits, or whose worker vanished, under a lease. No row where it is done, parked, or about a subject that
 * has ended. A person's sessions are observed one after the other, in the order in which they began, and their model is made by one
 * job at a time: none while another one runs, nor before a session that comes first and is untried or was left by a worker that vanished.
 */
export function claimWork(
  permit: Permit<"run_work">,
  workId: string,
  leaseUntil: Date,
): Statement<Taken> {
  const { tenant, now } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<Taken>`
      with due as (
        select w.tenant_id, w.subject_id, w.work_id, w.kind, u.key_id, w.workspace_id, w.session_id, w.detail, w.attempts, w.claims,
          case when w.state = 'running' and w.lease_until > ${now} then w.lease_until end as held_until,
          (select count(*)::integer from muniment.work o
            where w.kind in ('observe_session', 'consolidate_subject') and o.kind = w.kind and o.tenant_id = ${tenant}
              and o.subject_id = w.subject_id and o.workspace_id = w.workspace_id and o.work_id <> w.work_id
              and ((o.state = 'running' and o.lease_until > ${now})
                or ((o.state = 'running' or (o.state = 'queued' and o.problem is null))
                  and (o.session_id, o.work_id) < (w.session_id, w.work_id)))) as ahead
        from muniment.work w
        join muniment.subject u on u.tenant_id = w.tenant_id and u.subject_id = w.subject_id and u.state = 'active'
        where w.tenant_id = ${tenant} and w.work_id = ${workId}::uuid and w.state in ('queued', 'running')
      ), claimed as (
        update muniment.work w
        set state = 'running', attempts = w.attempts + 1, claims = w.claims + 1, problem = null, lease_until = ${leaseUntil},
          changed_at = ${now}
        from due d
        where w.tenant_id = ${tenant} and w.tenant_id = d.tenant_id and w.work_id = d.work_id and d.ahead = 0
          and (w.state = 'queued' or (w.state = 'running' and w.lease_until <= ${now}))
        returning w.work_id, w.attempts, w.claims
      )
      select d.tenant_id as "tenantId", d.subject_id as "subjectId", d.work_id as "workId", d.kind, d.key_id as "keyId",
        d.workspace_id as "workspaceId", d.session_id as "sessionId", d.detail, coalesce(c.attempts, d.attempts) as attempts,
        coalesce(c.claims, d.claims) as claims, c.work_id is not null as "isClaimed", d.held_until as "heldUntil", d.ahead
      from due d
      left join claimed c on c.work_id = d.work_id`,
  );
}
