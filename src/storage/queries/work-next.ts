import type { WorkId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * Who comes next of a person's jobs of the kind, where these are done one after the other: nobody has tried it yet. One that was
 * tried comes again at its own time. Behind the lock of the person's row, before or behind this one's end.
 */
export function findNextOfPerson(
  permit: Permit,
  workId: string,
): Statement<{ readonly workId: WorkId }> {
  const { tenant } = tenantScope(permit);
  return sql<{ readonly workId: WorkId }>`
    select n.work_id as "workId" from muniment.work w
    join muniment.work n on n.tenant_id = w.tenant_id and n.subject_id = w.subject_id and n.workspace_id = w.workspace_id
      and n.kind = w.kind and n.work_id <> w.work_id and n.state = 'queued' and n.problem is null
    where w.tenant_id = ${tenant} and w.work_id = ${workId}::uuid and w.kind in ('observe_session', 'consolidate_subject')
    order by n.session_id, n.work_id
    limit 1`;
}
