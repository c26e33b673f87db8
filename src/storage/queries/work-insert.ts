import type { SubjectId, WorkspaceId } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * Hands a row of `work` to the queue, in the transaction that wrote it, where it was written. Its place in the queue is fair between tenants: each
 * tenant's first waiting job comes before anybody's second.
 */
export function sendWork(permit: Permit, workId: string, jobId: string): Statement {
  const { tenant } = tenantScope(permit);
  const payload = JSON.stringify({ tenant_id: tenant, work_id: workId });
  return sql`
    insert into pgboss.job (id, name, priority, data, retry_limit, retry_delay, retry_backoff)
    select ${jobId}::uuid, 'work', 1 - count(*)::integer, ${payload}::jsonb, 100, 5, true
    from (
      select w.work_id from muniment.work w
      where w.tenant_id = ${tenant} and w.state = 'queued'
      order by w.work_id
      limit ${LIMITS.workPlacesMax}
    ) waiting
    having exists (select 1 from muniment.work s where s.tenant_id = ${tenant} and s.work_id = ${workId}::uuid)`;
}

/** A job that has ended. */
interface Ended {
  readonly workId: string;
  readonly kind: string;
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
}

/**
 * Hands out the person's next job of the kind, where there is one: it wasn't taken while this one ran. One whose worker vanished
 * is due too. `which`: behind a job that comes again only one that nobody has tried yet, as the others come again by themselves.
 */
export function sendNextOfPerson(
  permit: Permit,
  { workId, kind, subjectId: subject, workspaceId: workspace }: Ended,
  jobId: string,
  which: "any" | "untried" = "any",
): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    insert into pgboss.job (id, name, priority, data, retry_limit, retry_delay, retry_backoff)
    select ${jobId}::uuid, 'work', 1 - (
        select count(*)::integer from (
          select q.work_id from muniment.work q
          where q.tenant_id = ${tenant} and q.state = 'queued'
          order by q.work_id
          limit ${LIMITS.workPlacesMax}
        ) waiting),
      jsonb_build_object('tenant_id', w.tenant_id, 'work_id', w.work_id), 100, 5, true
    from muniment.work w
    where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.workspace_id = ${workspace} and w.work_id <> ${workId}
      and w.kind = ${kind} and (w.state = 'queued' or (w.state = 'running' and w.lease_until <= ${now}))
      and (${which}::text = 'any' or (w.attempts = 0 and w.problem is null))
    order by coalesce(w.session_id, w.work_id), w.work_id
    limit 1`;
}
