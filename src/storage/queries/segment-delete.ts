import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/** The subject's segments from before its last purge: nobody reads them any more. */
export function deletePurgedSegments(permit: Permit, purgeRevision: number): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    delete from muniment.segment
    where tenant_id = ${tenant} and subject_id = ${subject} and purge_revision <> ${purgeRevision}`;
}

/**
 * Segments with a turn that stopped being evidence: the terms of its other turns stand with the turns themselves. With
 * them go those of a subject that was purged or has ended, and those that an older analyser made by `supersededUntil`.
 */
export function deleteStaleSegments(
  permit: Permit<"sweep">,
  sweep: Sweep,
  superseded: { readonly analyser: number; readonly until: Date },
): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with stale as (
      select g.tenant_id, g.subject_id, g.segment_id
      from muniment.segment g
      join muniment.subject u on u.tenant_id = g.tenant_id and u.subject_id = g.subject_id
      where g.tenant_id = ${tenant} and (g.evidence_until <= ${until} or u.state <> 'active'
        or u.purge_revision <> g.purge_revision
        or (g.analyser < ${superseded.analyser} and g.recorded_at <= ${superseded.until}))
      order by g.subject_id, g.segment_id
      limit ${limit}
    ), removed as (
      delete from muniment.segment g using stale e
      where g.tenant_id = ${tenant} and g.tenant_id = e.tenant_id and g.subject_id = e.subject_id and g.segment_id = e.segment_id
      returning g.segment_id
    )
    select count(*) as removed from removed`;
}
