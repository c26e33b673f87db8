import type { WorkId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { ObservationSpan } from "../../domain/work.js";
import { sessionScope, subjectScope, tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep } from "./expired-delete.js";
import type { RemovedObservation } from "./reach-delete.js";

/** Queues the observation of what was said since the last one. */
export function insertObservationWork(permit: Permit, workId: WorkId): Statement {
  const { tenant, subject, workspace, session, now } = sessionScope(permit);
  return sql`
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select s.tenant_id, ${workId}::uuid, 'observe_session', s.subject_id, ${workspace}::uuid, s.session_id,
      jsonb_build_object('after_epoch', s.observed_epoch, 'epoch', s.epoch, 'after_seq', 0),
      'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
    from muniment.session s
    where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session}`;
}

/** Remembers what of the session was queued: goes behind `insertObservationWork`. */
export function markObserved(permit: Permit): Statement {
  const { tenant, subject, session } = sessionScope(permit);
  return sql`
    update muniment.session set observed_epoch = epoch
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}

/** Leaves the session to whoever asks for it by name: nothing else observes it any more. */
export function refuseObservation(permit: Permit): Statement {
  const { tenant, subject, session } = sessionScope(permit);
  return sql`
    update muniment.session set wants_observation = false
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}

/** Queues what one job leaves of its span, as of when that one was asked for: it takes over its place in the queue. */
export function insertRestOfSpan(
  permit: Permit,
  rest: { readonly workId: WorkId; readonly of: WorkId; readonly span: ObservationSpan },
): Statement {
  const { tenant, subject, workspace, session, now } = sessionScope(permit);
  return sql`
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select w.tenant_id, ${rest.workId}::uuid, 'observe_session', w.subject_id, ${workspace}::uuid, ${session}::uuid,
      ${JSON.stringify(rest.span)}::jsonb, 'queued', 0, null, null, w.created_at, ${now}::timestamptz
    from muniment.work w
    where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.work_id = ${rest.of}::uuid`;
}

/**
 * Queues anew, oldest first, the observation of what was observed before of the subject's sessions, where these observations
 * went and the person said more under their route. Behind whatever removes turns. What nobody wanted observed is left
 * alone: it goes no further than it went before. One id is needed for each; what no id is left for is left over to `queueLeftOver`.
 */
export function queueReobservations(
  permit: Permit,
  removed: readonly RemovedObservation[],
  ids: readonly string[],
): Statement<{ readonly workId: string }> {
  const { tenant, subject, now } = subjectScope(permit);
  const sessions = removed.map(({ sessionId }) => sessionId);
  const workspaces = removed.map(({ workspaceId }) => workspaceId);
  const routes = removed.map(({ routeId }) => routeId);
  return sql<{ readonly workId: string }>`
    with observed as (
      select s.tenant_id, s.subject_id, s.session_id, s.workspace_id,
        case when s.observed_imported then -1 else 0 end as after_epoch,
        case when s.observed_seq > 0 then s.epoch else s.observed_epoch end as epoch,
        nullif(s.observed_seq, 0) as last_seq,
        row_number() over (order by s.session_id) as place
      from muniment.session s
      where s.tenant_id = ${tenant} and s.subject_id = ${subject}
        and (s.observed_seq > 0 or s.session_id = any(${sessions}::uuid[]))
        and exists (
          select 1 from muniment.turn t
          join unnest(${workspaces}::uuid[], ${routes}::text[]) as w (workspace_id, route_id)
            on w.workspace_id = t.workspace_id and w.route_id = t.route_id
          where t.tenant_id = ${tenant} and t.subject_id = s.subject_id and t.session_id = s.session_id
            and t.evidence_until > ${now} and t.role = 'user')
    ), later as (
      update muniment.session s set observed_epoch = 0
      from observed o
      where s.tenant_id = ${tenant} and s.tenant_id = o.tenant_id and s.subject_id = o.subject_id
        and s.session_id = o.session_id and o.place > ${ids.length}
      returning s.session_id
    )
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select o.tenant_id, (${ids}::uuid[])[o.place], 'observe_session', o.subject_id, o.workspace_id, o.session_id,
      jsonb_strip_nulls(jsonb_build_object(
        'after_epoch', o.after_epoch, 'epoch', o.epoch, 'after_seq', 0, 'last_seq', o.last_seq)),
      'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
    from observed o
    where o.place <= ${ids.length}
    returning work_id as "workId"`;
}

/**
 * Queues the observation of sessions that ended without it: closed by an older version, or idle past their clock and never
 * closed. One that was closed to stay unobserved does. Only what is still evidence is worth a job. One id is needed for each, and the ids that were used come back.
 */
export function queueLeftOver(
  permit: Permit<"sweep">,
  { until }: Sweep,
  ids: readonly string[],
): Statement<{ readonly workId: string }> {
  const { tenant, now } = tenantScope(permit);
  return sql<{ readonly workId: string }>`
    with left_over as (
      select s.tenant_id, s.subject_id, s.session_id, s.observed_epoch as after_epoch,
        row_number() over (order by s.subject_id, s.session_id) as place
      from muniment.session s
      join muniment.subject u on u.tenant_id = s.tenant_id and u.subject_id = s.subject_id and u.state = 'active'
      where s.tenant_id = ${tenant} and s.epoch > s.observed_epoch and s.wants_observation
        and (s.state = 'closed' or s.expires_at <= ${until})
        and exists (
          select 1 from muniment.turn t
          where t.tenant_id = ${tenant} and t.subject_id = s.subject_id and t.session_id = s.session_id
            and t.epoch > s.observed_epoch and t.evidence_until > ${now} and t.role = 'user')
      order by s.subject_id, s.session_id
      limit ${ids.length}
    ), marked as (
      update muniment.session s set observed_epoch = s.epoch
      from left_over l
      where s.tenant_id = ${tenant} and s.tenant_id = l.tenant_id and s.subject_id = l.subject_id
        and s.session_id = l.session_id and s.observed_epoch = l.after_epoch
      returning s.tenant_id, s.subject_id, s.session_id, s.workspace_id, s.epoch, l.after_epoch, l.place
    )
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select m.tenant_id, (${ids}::uuid[])[m.place], 'observe_session', m.subject_id, m.workspace_id, m.session_id,
      jsonb_build_object('after_epoch', m.after_epoch, 'epoch', m.epoch, 'after_seq', 0),
      'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
    from marked m
    returning work_id as "workId"`;
}
