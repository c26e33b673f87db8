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
