import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface Swept {
  readonly removed: number;
}

export interface Sweep {
  /** Rows whose clock ran out by then go: earlier than now, by the grace that late writes need. */
  readonly until: Date;
  /** Rows at most. */
  readonly limit: number;
}

// INVARIANT: each clock of the row itself is compared again where the row is removed. The statement may have waited for
// another one that moved it. A clock that stands elsewhere (a run's, a session's) isn't read anew after such a wait: the
// grace is for those.

/** Working memory whose run is past its idle clock, or whose own clock ran out. */
export function deleteExpiredWorking(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select w.tenant_id, w.subject_id, w.run_id, w.class, w.item_key, r.expires_at as run_expires_at
      from muniment.working w
      join muniment.run r on r.tenant_id = w.tenant_id and r.subject_id = w.subject_id and r.run_id = w.run_id
      where w.tenant_id = ${tenant} and (r.expires_at <= ${until} or w.expires_at <= ${until})
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = w.subject_id and h.released_at is null)
      order by w.subject_id, w.run_id, w.class, w.item_key
      limit ${limit}
    ), removed as (
      delete from muniment.working w using expired e
      where w.tenant_id = ${tenant} and w.tenant_id = e.tenant_id and w.subject_id = e.subject_id and w.run_id = e.run_id
        and w.class = e.class and w.item_key = e.item_key and (e.run_expires_at <= ${until} or w.expires_at <= ${until})
      returning w.run_id
    )
    select count(*) as removed from removed`;
}

/** Loop records of runs that are past their idle clock. */
export function deleteExpiredCheckpoints(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select c.tenant_id, c.subject_id, c.run_id
      from muniment.checkpoint c
      join muniment.run r on r.tenant_id = c.tenant_id and r.subject_id = c.subject_id and r.run_id = c.run_id
      where c.tenant_id = ${tenant} and r.expires_at <= ${until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = c.subject_id and h.released_at is null)
      order by c.subject_id, c.run_id
      limit ${limit}
    ), removed as (
      delete from muniment.checkpoint c using expired e
      where c.tenant_id = ${tenant} and c.tenant_id = e.tenant_id and c.subject_id = e.subject_id and c.run_id = e.run_id
      returning c.run_id
    )
    select count(*) as removed from removed`;
}

/** Turns that are neither conversation (epoch or idle clock passed) nor evidence (their own clock passed, or never was). */
export function deleteExpiredTurns(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select t.tenant_id, t.subject_id, t.session_id, t.seq
      from muniment.turn t
      join muniment.session s on s.tenant_id = t.tenant_id and s.subject_id = t.subject_id and s.session_id = t.session_id
      where t.tenant_id = ${tenant} and (t.epoch <> s.epoch or s.expires_at <= ${until})
        and (t.evidence_until is null or t.evidence_until <= ${until})
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = t.subject_id and h.released_at is null)
      order by t.subject_id, t.session_id, t.seq
      limit ${limit}
    ), removed as (
      delete from muniment.turn t using expired e
      where t.tenant_id = ${tenant} and t.tenant_id = e.tenant_id and t.subject_id = e.subject_id
        and t.session_id = e.session_id and t.seq = e.seq and (t.evidence_until is null or t.evidence_until <= ${until})
      returning t.seq
    )
    select count(*) as removed from removed`;
}

/** Goals of runs that are past their idle clock: the run's row stays, what was asked for goes. */
export function clearExpiredGoals(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select g.tenant_id, g.run_id from muniment.run g
      where g.tenant_id = ${tenant} and g.expires_at <= ${until} and octet_length(g.goal_sealed) > 0
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = g.subject_id and h.released_at is null)
      order by g.run_id
      limit ${limit}
    ), removed as (
      update muniment.run r set goal_sealed = ''::bytea from expired e
      where r.tenant_id = ${tenant} and r.tenant_id = e.tenant_id and r.run_id = e.run_id and r.expires_at <= ${until}
      returning r.run_id
    )
    select count(*) as removed from removed`;
}

/** Stored replies that no repeated request can ask for any more. */
export function deleteExpiredReplies(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select tenant_id, principal_ref, operation, key_mac from muniment.idempotency
      where tenant_id = ${tenant} and expires_at <= ${until}
      order by principal_ref, operation, key_mac
      limit ${limit}
    ), removed as (
      delete from muniment.idempotency i using expired e
      where i.tenant_id = ${tenant} and i.tenant_id = e.tenant_id and i.principal_ref = e.principal_ref
        and i.operation = e.operation and i.key_mac = e.key_mac and i.expires_at <= ${until}
      returning i.operation
    )
    select count(*) as removed from removed`;
}

/** Records of packs whose validity ended: they hold no text, but they tell what was read. */
export function deleteExpiredPacks(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select tenant_id, pack_id from muniment.pack
      where tenant_id = ${tenant} and expires_at <= ${until}
      order by pack_id
      limit ${limit}
    ), removed as (
      delete from muniment.pack p using expired e
      where p.tenant_id = ${tenant} and p.tenant_id = e.tenant_id and p.pack_id = e.pack_id and p.expires_at <= ${until}
      returning p.pack_id
    )
    select count(*) as removed from removed`;
}
