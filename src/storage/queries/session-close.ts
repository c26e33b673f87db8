import type { WorkId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { sessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Ends the session for appends and runs, where it is open; its active runs with it, each with a trace as far as there are ids. */
export function closeSession(
  permit: Permit<"close_session">,
  traces: { readonly ids: readonly string[]; readonly expiresAt: Date },
): Statement {
  const { tenant, subject, keyId, workspace, session, now } = sessionScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), closed as (
      update muniment.session set state = 'closed', closed_at = ${now}, active_run_id = null
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and workspace_id = ${workspace}
        and state = 'open' and exists (select 1 from live)
      returning session_id
    ), ended as (
      update muniment.run set state = 'closed', ended_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and created_at > '-infinity' and state = 'active'
        and exists (select 1 from closed)
      returning run_id, route_id
    ), numbered as (
      select run_id, route_id, row_number() over (order by run_id) as place from ended
    ), traced as (
      insert into muniment.trace
        (tenant_id, subject_id, trace_id, workspace_id, session_id, run_id, route_id, outcome, terminal_reason, stages, recorded_at,
         expires_at, rolled_up_at, facts_sealed, prompts_sealed)
      select ${tenant}::uuid, ${subject}::uuid, (${traces.ids}::uuid[])[n.place], ${workspace}::uuid, ${session}::uuid, n.run_id,
        n.route_id, 'closed', 'session_closed',
        array(select w.item_key from muniment.working w
          where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = n.run_id and w.class = 'slot'
          order by w.seq, w.item_key),
        ${now}::timestamptz, ${traces.expiresAt}::timestamptz, null, null, null
      from numbered n
      where n.place <= cardinality(${traces.ids}::uuid[])
      returning trace_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from closed), 'session_closed'), (select count(*) from traced) as traced`;
}

/** Queues the compression of what was said since the last one. */
export function insertCompression(
  permit: Permit,
  workId: WorkId,
  dataClass: string | null,
): Statement {
  const { tenant, subject, workspace, session, now } = sessionScope(permit);
  return sql`
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select s.tenant_id, ${workId}::uuid, 'compress_session', s.subject_id, ${workspace}::uuid, s.session_id,
      jsonb_build_object('after_epoch', s.compressed_epoch, 'epoch', s.epoch, 'data_class', ${dataClass}::text),
      'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
    from muniment.session s
    where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session}`;
}

/** Remembers what of the session was queued: goes behind `insertCompression`. */
export function markCompressed(permit: Permit): Statement {
  const { tenant, subject, session } = sessionScope(permit);
  return sql`
    update muniment.session set compressed_epoch = epoch
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}
