import type { SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import type { WorkState } from "../../domain/work.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface SessionFreshness {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: string;
  readonly sessionId: SessionId;
  readonly lookup: Uint8Array;
  readonly sealed: Uint8Array;
  readonly endedAt: Date | null;
  readonly processedAt: Date | null;
  /** Of its newest job of observation that isn't done; null where there is none any more, or never was. */
  readonly state: WorkState | null;
  /** Observations that cite it. */
  readonly observations: number;
}

/** Sessions of the permit's workspace, newest first, each with when it ended and when it was observed. */
export function listSessionFreshness(permit: Permit, limit: number): Statement<SessionFreshness> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<SessionFreshness>`
      select s.tenant_id as "tenantId", s.subject_id as "subjectId", s.workspace_id as "workspaceId", s.session_id as "sessionId",
        x.lookup, x.sealed, s.closed_at as "endedAt", s.processed_at as "processedAt",
        (select w.state from muniment.work w
          where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.session_id = s.session_id and w.kind = 'observe_session'
          order by w.state = 'done', w.work_id desc limit 1) as state,
        (select count(*) from muniment.observation o
          where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}
            and o.session_id = s.session_id and o.expires_at > ${now}) as observations
      from muniment.session s
      join muniment.subject u on u.tenant_id = s.tenant_id and u.subject_id = s.subject_id
      join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = s.tenant_id and n.subject_id = s.subject_id and n.internal_id = s.session_id and n.kind = 'session' limit 1) x on true
      where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.workspace_id = ${workspace}
        and u.state = 'active' and u.key_id = ${keyId}
      order by s.session_id desc
      limit ${limit}`,
  );
}

export interface ModelFreshness {
  readonly consolidatedAt: Date | null;
  /** Of the job of consolidation that is under way, and else of the newest: a later model holds what a parked one lacked. */
  readonly state: WorkState | null;
  /** Last pack that held a part of the model. */
  readonly servedAt: Date | null;
}

/** When the person's model was made, and when a run was last shown it. */
export function findModelFreshness(permit: Permit): Statement<ModelFreshness> {
  const { tenant, subject, workspace } = subjectScope(permit);
  return sql<ModelFreshness>`
    select
      (select v.computed_at from muniment.view v
        where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace}
          and v.view_id = ${USER_MODEL}) as "consolidatedAt",
      (select w.state from muniment.work w
        where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.workspace_id = ${workspace} and w.kind = 'consolidate_subject'
        order by w.state = 'running' desc, w.state = 'queued' desc, w.work_id desc limit 1) as state,
      (select max(p.created_at) from muniment.pack p
        where p.tenant_id = ${tenant} and p.subject_id = ${subject} and p.workspace_id = ${workspace}
          and exists (
            select 1 from jsonb_array_elements(p.manifest -> 'entries') e
            where e ->> 'kind' = ${USER_MODEL} and e ->> 'tokens' is not null)) as "servedAt"
    order by 1
    limit 1`;
}
