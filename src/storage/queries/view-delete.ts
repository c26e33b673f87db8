import type { WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import { subjectScope, tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

export interface RemovedView {
  readonly workspaceId: WorkspaceId;
  readonly viewId: string;
}

/** Every view of the subject, in all workspaces: each could hold something of what is forgotten. */
export function deleteViews(permit: Permit): Statement<RemovedView> {
  const { tenant, subject } = subjectScope(permit);
  return sql<RemovedView>`
    delete from muniment.view where tenant_id = ${tenant} and subject_id = ${subject}
    returning workspace_id as "workspaceId", view_id as "viewId"`;
}

/** Models that cite an observation whose clock ran out: they were shown without it, and are made again of what is left. */
export function deleteOutlivedModels(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with outlived as (
      select v.tenant_id, v.subject_id, v.workspace_id from muniment.view v
      where v.tenant_id = ${tenant} and v.view_id = ${USER_MODEL}
        and (select count(*) from muniment.observation o
          where o.tenant_id = ${tenant} and o.subject_id = v.subject_id and o.observation_id = any(v.depends)
            and o.expires_at > ${sweep.until}) < cardinality(v.depends)
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = v.subject_id and h.released_at is null)
      order by v.subject_id, v.workspace_id
      limit ${sweep.limit}
    ), removed as (
      delete from muniment.view v using outlived x
      where v.tenant_id = ${tenant} and v.tenant_id = x.tenant_id and v.subject_id = x.subject_id
        and v.workspace_id = x.workspace_id and v.view_id = ${USER_MODEL}
      returning v.view_id
    )
    select count(*) as removed from removed`;
}
