import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/**
 * Events whose clock ran out, each with what its record said before: that doesn't become current again. Earlier revisions first,
 * so that no limit ever leaves one without the later one that ends it.
 */
export function deleteExpiredEvents(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select e.tenant_id, e.subject_id, e.event_id
      from muniment.event e
      join muniment.event l on l.tenant_id = e.tenant_id and l.subject_id = e.subject_id and l.source_id = e.source_id
        and l.source_revision >= e.source_revision
      where e.tenant_id = ${tenant} and l.expires_at <= ${until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = e.subject_id and h.released_at is null)
      group by e.tenant_id, e.subject_id, e.event_id, e.source_id, e.source_revision
      order by e.subject_id, e.source_id, e.source_revision
      limit ${limit}
    ), removed as (
      delete from muniment.event v using expired x
      where v.tenant_id = ${tenant} and v.tenant_id = x.tenant_id and v.subject_id = x.subject_id and v.event_id = x.event_id
      returning v.event_id
    )
    select count(*) as removed from removed`;
}
