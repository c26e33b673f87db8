import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/** Episodes whose clock ran out. */
export function deleteExpiredEpisodes(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with expired as (
      select o.tenant_id, o.subject_id, o.episode_id from muniment.episode o
      where o.tenant_id = ${tenant} and o.expires_at <= ${sweep.until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.subject_id, o.episode_id
      limit ${sweep.limit}
    ), removed as (
      delete from muniment.episode e using expired x
      where e.tenant_id = ${tenant} and e.tenant_id = x.tenant_id and e.subject_id = x.subject_id
        and e.episode_id = x.episode_id and e.expires_at <= ${sweep.until}
      returning e.episode_id
    )
    select count(*) as removed from removed`;
}

/** Observations whose clock ran out, or that of a turn that they cite. */
export function deleteExpiredObservations(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with expired as (
      select o.tenant_id, o.subject_id, o.observation_id from muniment.observation o
      where o.tenant_id = ${tenant} and o.expires_at <= ${sweep.until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.subject_id, o.observation_id
      limit ${sweep.limit}
    ), removed as (
      delete from muniment.observation e using expired x
      where e.tenant_id = ${tenant} and e.tenant_id = x.tenant_id and e.subject_id = x.subject_id
        and e.observation_id = x.observation_id and e.expires_at <= ${sweep.until}
      returning e.observation_id
    )
    select count(*) as removed from removed`;
}

/** Traces whose clock ran out. */
export function deleteExpiredTraces(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with expired as (
      select o.tenant_id, o.trace_id from muniment.trace o
      where o.tenant_id = ${tenant} and o.expires_at <= ${sweep.until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.trace_id
      limit ${sweep.limit}
    ), removed as (
      delete from muniment.trace t using expired x
      where t.tenant_id = ${tenant} and t.tenant_id = x.tenant_id and t.trace_id = x.trace_id and t.expires_at <= ${sweep.until}
      returning t.trace_id
    )
    select count(*) as removed from removed`;
}

/** Drops the prompts of traces that are a night old. Reasons, cost and receipts stay. */
export function rollUpTraces(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant, now } = tenantScope(permit);
  return sql<Swept>`
    with due as (
      select o.tenant_id, o.trace_id from muniment.trace o
      where o.tenant_id = ${tenant} and o.recorded_at <= ${sweep.until} and o.rolled_up_at is null
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.trace_id
      limit ${sweep.limit}
    ), rolled as (
      update muniment.trace t set prompts_sealed = null, rolled_up_at = ${now} from due x
      where t.tenant_id = ${tenant} and t.tenant_id = x.tenant_id and t.trace_id = x.trace_id
      returning t.trace_id
    )
    select count(*) as removed from rolled`;
}

/** Rows of jobs that are done: their results stand elsewhere. Parked ones stay until somebody deals with them. */
export function deleteDoneWork(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with done as (
      select tenant_id, work_id from muniment.work
      where tenant_id = ${tenant} and state = 'done' and changed_at <= ${sweep.until}
      order by work_id
      limit ${sweep.limit}
    ), removed as (
      delete from muniment.work w using done x
      where w.tenant_id = ${tenant} and w.tenant_id = x.tenant_id and w.work_id = x.work_id and w.state = 'done'
      returning w.work_id
    )
    select count(*) as removed from removed`;
}
