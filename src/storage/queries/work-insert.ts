import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * Hands a row of `work` to the queue, in the transaction that wrote it, where it was written. INVARIANT: the message of a row has its id,
 * so that there is one at most; it stays until the row is done or parked, and has its place by when the row was asked for.
 */
export function sendWork(permit: Permit, workId: string): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    insert into pgboss.job (id, name, data, retry_limit, retry_delay, retry_backoff, created_on)
    select w.work_id, 'work', jsonb_build_object('tenant_id', w.tenant_id, 'work_id', w.work_id), 100, 5, true, w.created_at
    from muniment.work w
    where w.tenant_id = ${tenant} and w.work_id = ${workId}::uuid
    on conflict do nothing`;
}

/**
 * The same for what nobody holds and the queue may have lost: it was restored, or a job was revived while its last message went.
 * Those that haven't changed for longest first; what has its message keeps it.
 */
export function sendLostWork(permit: Permit<"sweep">, limit: number): Statement<{ sent: number }> {
  const { tenant, now } = tenantScope(permit);
  return sql<{ sent: number }>`
    with sent as (
      insert into pgboss.job (id, name, data, retry_limit, retry_delay, retry_backoff, created_on)
      select w.work_id, 'work', jsonb_build_object('tenant_id', w.tenant_id, 'work_id', w.work_id), 100, 5, true, w.created_at
      from muniment.work w
      where w.tenant_id = ${tenant} and (w.state = 'queued' or (w.state = 'running' and w.lease_until <= ${now}))
      order by w.changed_at, w.work_id
      limit ${limit}
      on conflict do nothing
      returning 1
    )
    select count(*)::integer as sent from sent`;
}
