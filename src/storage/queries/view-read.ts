import type { WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface ViewRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly viewId: string;
  readonly version: number;
  readonly revision: number;
  readonly depends: readonly string[];
  readonly computedAt: Date;
  readonly bodySealed: Uint8Array;
}

/** One view of the permit's live subject and workspace, as it was published. */
export function readView(permit: Permit, viewId: string): Statement<ViewRow> {
  const { tenant, subject, keyId, workspace } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<ViewRow>`
      select v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId", v.view_id as "viewId",
        v.version, v.revision, v.depends, v.computed_at as "computedAt", v.body_sealed as "bodySealed"
      from muniment.view v
      join muniment.subject u on u.tenant_id = v.tenant_id and u.subject_id = v.subject_id
      where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.workspace_id = ${workspace} and v.view_id = ${viewId}
        and u.state = 'active' and u.key_id = ${keyId}
      order by v.view_id
      limit 1`,
  );
}
