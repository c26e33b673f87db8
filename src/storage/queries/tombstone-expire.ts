import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/** Tombstones of requests that nobody would repeat any more. Those of persons and contents have no clock. */
export function deleteExpiredTombstones(permit: Permit<"sweep">, sweep: Sweep): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  const { until, limit } = sweep;
  return sql<Swept>`
    with expired as (
      select tenant_id, kind, item_mac from muniment.tombstone
      where tenant_id = ${tenant} and expires_at <= ${until}
      order by kind, item_mac
      limit ${limit}
    ), removed as (
      delete from muniment.tombstone t using expired e
      where t.tenant_id = ${tenant} and t.tenant_id = e.tenant_id and t.kind = e.kind and t.item_mac = e.item_mac
        and t.expires_at <= ${until}
      returning t.kind
    )
    select count(*) as removed from removed`;
}
