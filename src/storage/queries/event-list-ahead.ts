import type { WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { AheadPage } from "./turn-list-ahead.js";

/** The name of a connector's record. */
export interface RecordAhead {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly sourceId: string;
  readonly sourceLookup: Uint8Array;
  readonly sourceSealed: Uint8Array;
}

/** The subject's records of which a revision claims a later time. */
export function listRecordsAhead(
  permit: Permit,
  { since, after, limit }: AheadPage,
): Statement<RecordAhead> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<RecordAhead>`
      select distinct v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId",
        v.source_id as "sourceId", o.lookup as "sourceLookup", o.sealed as "sourceSealed"
      from muniment.event v
      join lateral (
        select x.lookup, x.sealed from muniment.external_id x
        where x.tenant_id = v.tenant_id and x.subject_id = v.subject_id and x.internal_id = v.source_id
        order by x.internal_id
        limit 1) o on true
      where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.effective_at > ${since} and v.source_id > ${after}::uuid
      order by v.source_id
      limit ${limit}`,
  );
}
