import type { Permit } from "../../domain/permit.js";
import type { Pin } from "../../domain/pin.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface CompletedStages {
  readonly stageIds: readonly string[];
}

/** Stages of the pinned route whose slot the run holds. No row where the run is past its idle clock: it holds nothing then. */
export function findCompletedStages(
  permit: Permit<"resolve">,
  pin: Pin,
): Statement<CompletedStages> {
  const { tenant, now } = tenantScope(permit);
  const declared = pin.route.stages.map(({ stage_id }) => stage_id);
  return sql<CompletedStages>`
    select array(
        select w.item_key from muniment.working w
        where w.tenant_id = ${tenant} and w.subject_id = ${pin.subject} and w.run_id = ${pin.run} and w.class = 'slot'
          and w.item_key = any(${declared}::text[])
        order by w.item_key
      ) as "stageIds"
    from muniment.run r
    where r.tenant_id = ${tenant} and r.subject_id = ${pin.subject} and r.run_id = ${pin.run} and r.expires_at > ${now}
    order by r.run_id
    limit 1`;
}
