import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

interface QueuedSession {
  readonly workId: string;
  readonly sessionId: string;
  /** False for a job that waited already. */
  readonly isNew: boolean;
}

/**
 * Queues the observation of what nobody has observed of one subject's sessions in the workspace. An open one is observed so far, and again when it ends; with `imported`, of what
 * imports brought as well. This is asked for by name, so it takes what was closed to stay unobserved too. Sessions go in the order of their ids, from behind `after`.
 * Where a job for the same waits already it is that one: it will read what was said until then. Behind a statement that waits for the subject's row.
 */
export function queueSubject(
  permit: Permit,
  ids: readonly string[],
  { imported, after }: { readonly imported: boolean; readonly after: string | null },
): Statement<QueuedSession> {
  const { tenant, subject, workspace, now } = subjectScope(permit);
  return sql<QueuedSession>`
    with left_over as (
      select s.tenant_id, s.subject_id, s.session_id,
        case when ${imported}::boolean then -1 else s.observed_epoch end as after_epoch,
        row_number() over (order by s.session_id) as place
      from muniment.session s
      where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.workspace_id = ${workspace}
        and (${after}::uuid is null or s.session_id > ${after}::uuid)
        and exists (
          select 1 from muniment.turn t
          where t.tenant_id = ${tenant} and t.subject_id = s.subject_id and t.session_id = s.session_id
            and t.epoch > case when ${imported}::boolean then -1 else s.observed_epoch end
            and t.evidence_until > ${now} and t.role = 'user')
      order by s.session_id
      limit ${ids.length}
    ), marked as (
      update muniment.session s
      set wants_observation = true,
        observed_epoch = case when s.state = 'closed' or s.expires_at <= ${now} then s.epoch else s.observed_epoch end
      from left_over l
      where s.tenant_id = ${tenant} and s.tenant_id = l.tenant_id and s.subject_id = l.subject_id
        and s.session_id = l.session_id
      returning s.tenant_id, s.subject_id, s.session_id, s.workspace_id, s.epoch, l.after_epoch, l.place
    ), spans as (
      select m.tenant_id, m.subject_id, m.session_id, m.workspace_id, m.place,
        jsonb_build_object('after_epoch', m.after_epoch, 'epoch', m.epoch, 'after_seq', 0) as detail
      from marked m
    ), waiting as (
      select w.session_id, w.work_id
      from muniment.work w
      join spans p on p.tenant_id = w.tenant_id and p.subject_id = w.subject_id and p.session_id = w.session_id
        and p.detail = w.detail
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.kind = 'observe_session' and w.state = 'queued'
    ), made as (
      insert into muniment.work
        (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
         changed_at)
      select p.tenant_id, (${ids}::uuid[])[p.place], 'observe_session', p.subject_id, p.workspace_id, p.session_id, p.detail,
        'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
      from spans p
      where p.session_id not in (select session_id from waiting)
      returning work_id, session_id
    )
    select work_id as "workId", session_id as "sessionId", true as "isNew" from made
    union all
    select min(work_id::text)::uuid, session_id, false from waiting group by session_id`;
}
