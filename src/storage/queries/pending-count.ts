import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Evidence that the person's model doesn't know yet. */
export interface Pending {
  /** Sessions that wait to be observed, or whose observation is parked. */
  readonly sessions: number;
  /** Observations that wait to be consolidated. */
  readonly observations: number;
}

export function countPending(permit: Permit): Statement<Pending> {
  const { tenant, subject, workspace, now } = subjectScope(permit);
  return sql<Pending>`
    select
      (select count(distinct w.session_id) from muniment.work w
        where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.workspace_id = ${workspace}
          and w.kind = 'observe_session' and w.state <> 'done') as sessions,
      (select count(*) from muniment.observation o
        where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace} and o.expires_at > ${now}
          and o.revision > coalesce((
            select v.revision from muniment.view v
            where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace}
              and v.view_id = ${USER_MODEL}), 0)) as observations
    order by 1
    limit 1`;
}
