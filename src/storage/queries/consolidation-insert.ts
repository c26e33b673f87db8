import type { SubjectId, WorkspaceId } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Whose model, of which workspace. */
export interface ModelOf {
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
}

/** Asks for the person's model anew, where there is something to make it of and nobody has asked yet. */
export function insertConsolidation(
  permit: Permit,
  workId: string,
  { subjectId: subject, workspaceId: workspace }: ModelOf,
): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select ${tenant}::uuid, ${workId}::uuid, 'consolidate_subject', ${subject}::uuid, ${workspace}::uuid, null, '{}'::jsonb, 'queued', 0,
      null, null, ${now}::timestamptz, ${now}::timestamptz
    where exists (
        select 1 from muniment.observation o
        where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}::uuid and o.expires_at > ${now})
      and not exists (
        select 1 from muniment.work w
        where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.workspace_id = ${workspace}::uuid
          and w.kind = 'consolidate_subject' and w.state = 'queued')`;
}

/**
 * Models that lack something that was observed, and that no job is about: it was lost, or the model went with an observation whose
 * clock ran out. One whose job is parked waits for whoever looks at it.
 */
export function listUnconsolidated(permit: Permit<"sweep">): Statement<ModelOf> {
  const { tenant, now } = tenantScope(permit);
  return sql<ModelOf>`
    select o.subject_id as "subjectId", o.workspace_id as "workspaceId"
    from muniment.observation o
    join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
    left join muniment.view v on v.tenant_id = o.tenant_id and v.subject_id = o.subject_id
      and v.workspace_id = o.workspace_id and v.view_id = ${USER_MODEL}
    where o.tenant_id = ${tenant} and o.expires_at > ${now} and o.revision > coalesce(v.revision, 0) and u.state = 'active'
      and not exists (
        select 1 from muniment.work w
        where w.tenant_id = ${tenant} and w.subject_id = o.subject_id and w.workspace_id = o.workspace_id
          and w.kind = 'consolidate_subject' and w.state <> 'done')
    group by o.subject_id, o.workspace_id
    order by o.subject_id, o.workspace_id
    limit ${LIMITS.consolidateLeftOverMax}`;
}
