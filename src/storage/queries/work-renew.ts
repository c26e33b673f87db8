import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { ClaimedWork } from "./work-claim.js";

/** Moves a lease. Fails with `work_lost` where another worker has the job by now. */
export function renewWork(
  permit: Permit<"run_work">,
  { workId, claims }: ClaimedWork,
  leaseUntil: Date,
): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    with renewed as (
      update muniment.work set lease_until = ${leaseUntil}, changed_at = ${now}
      where tenant_id = ${tenant} and work_id = ${workId} and state = 'running' and claims = ${claims}
      returning work_id
    )
    select muniment.require(exists (select 1 from renewed), 'work_lost')`;
}
