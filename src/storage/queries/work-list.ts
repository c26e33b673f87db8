import type { Permit } from "../../domain/permit.js";
import type { WorkState } from "../../domain/work.js";
import { tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface WorkRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workId: string;
  readonly kind: string;
  readonly sessionId: string | null;
  readonly state: WorkState;
  readonly attempts: number;
  readonly problem: string | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** Jobs of the tenant, newest first, of one state where given. */
export function listWork(
  permit: Permit<"list_work">,
  { state, before, limit }: { state: string | null; before: string | null; limit: number },
): Statement<WorkRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<WorkRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", work_id as "workId", kind, session_id as "sessionId", state,
        attempts, problem, created_at as "createdAt", changed_at as "changedAt"
      from muniment.work
      where tenant_id = ${tenant} and (${state}::text is null or state = ${state}::text)
        and (${before}::uuid is null or work_id < ${before}::uuid)
      order by work_id desc
      limit ${limit}`,
  );
}

/** Puts a parked job back into the queue, with all its tries. Fails where it isn't parked, and otherwise where it isn't there. */
export function reviveWork(permit: Permit<"retry_work">, workId: string): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    with revived as (
      update muniment.work set state = 'queued', attempts = 0, problem = null, changed_at = ${now}
      where tenant_id = ${tenant} and work_id = ${workId}::uuid and state = 'parked'
      returning work_id
    )
    select muniment.require(exists (select 1 from revived), case
      when exists (select 1 from muniment.work where tenant_id = ${tenant} and work_id = ${workId}::uuid) then 'work_not_parked'
      else 'work_gone' end)`;
}
