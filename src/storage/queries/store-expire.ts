import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/**
 * Candidates past their time: the log keeps what became of those that were promoted. One whose value is still there stays:
 * it says what the value rests on, should that be forgotten.
 */
export function deleteExpiredCandidates(
  permit: Permit<"sweep">,
  { until, limit }: Sweep,
): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with expired as (
      select o.tenant_id, o.candidate_id from muniment.candidate o
      where o.tenant_id = ${tenant} and o.expires_at <= ${until}
        and not exists (
          select 1 from muniment.field_value v
          where v.tenant_id = ${tenant} and v.subject_id = o.subject_id and v.candidate_id = o.candidate_id)
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.candidate_id
      limit ${limit}
    ), removed as (
      delete from muniment.candidate c using expired e
      where c.tenant_id = ${tenant} and c.tenant_id = e.tenant_id and c.candidate_id = e.candidate_id and c.expires_at <= ${until}
      returning c.candidate_id
    )
    select count(*) as removed from removed`;
}

/** Values under keys of chats that were idle for too long. Customer keys have no clock. */
export function deleteExpiredFieldValues(
  permit: Permit<"sweep">,
  { until, limit }: Sweep,
): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with expired as (
      select o.tenant_id, o.subject_id, o.workspace_id, o.field_id, o.session_key, o.version from muniment.field_value o
      where o.tenant_id = ${tenant} and o.expires_at <= ${until}
        and not exists (select 1 from muniment.hold h where h.tenant_id = ${tenant} and h.subject_id = o.subject_id and h.released_at is null)
      order by o.subject_id, o.workspace_id, o.field_id, o.session_key, o.version
      limit ${limit}
    ), removed as (
      delete from muniment.field_value v using expired e
      where v.tenant_id = ${tenant} and v.tenant_id = e.tenant_id and v.subject_id = e.subject_id
        and v.workspace_id = e.workspace_id and v.field_id = e.field_id and v.session_key = e.session_key
        and v.version = e.version and v.expires_at <= ${until}
      returning v.version
    )
    select count(*) as removed from removed`;
}
