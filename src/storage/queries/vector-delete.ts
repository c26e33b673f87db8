import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Sweep, Swept } from "./expired-delete.js";

/** Vectors of other models than today's, made by `until`: processes that still run the other model have their time. */
export function deleteOtherVectors(
  permit: Permit<"list_unembedded">,
  model: string,
  { until, limit }: Sweep,
): Statement<Swept> {
  const { tenant } = tenantScope(permit);
  return sql<Swept>`
    with other as (
      select tenant_id, subject_id, turn_id, model from muniment.vector
      where tenant_id = ${tenant} and model <> ${model} and recorded_at <= ${until}
      order by subject_id, turn_id, model
      limit ${limit}
    ), removed as (
      delete from muniment.vector v using other o
      where v.tenant_id = ${tenant} and v.tenant_id = o.tenant_id and v.subject_id = o.subject_id and v.turn_id = o.turn_id
        and v.model = o.model
      returning v.turn_id
    )
    select count(*) as removed from removed`;
}
