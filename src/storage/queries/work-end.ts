import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { ClaimedWork } from "./work-claim.js";

/**
 * Marks the job as done, in the transaction that holds its result. Fails with `work_lost` where another worker has it by
 * now, so that nothing is written twice.
 */
export function finishWork(permit: Permit, work: ClaimedWork): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  return sql`
    with finished as (
      update muniment.work set state = 'done', lease_until = null, changed_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and work_id = ${work.workId} and state = 'running'
        and claims = ${work.claims}
      returning work_id
    )
    select muniment.require(exists (select 1 from finished), 'work_lost')`;
}

/** Puts a job back that had to wait for something of its tenant's: the try isn't counted. */
export function setWorkWaiting(
  permit: Permit<"run_work">,
  work: ClaimedWork,
  problem: string,
): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    update muniment.work set state = 'queued', attempts = attempts - 1, problem = ${problem}, lease_until = null, changed_at = ${now}
    where tenant_id = ${tenant} and work_id = ${work.workId} and state = 'running' and claims = ${work.claims}`;
}

/** Puts the job back, or aside where nobody should try again before somebody has looked at it. */
export function setWorkAside(
  permit: Permit<"run_work">,
  work: ClaimedWork,
  state: "queued" | "parked" | "done",
  problem: string,
): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    update muniment.work set state = ${state}, problem = ${problem}, lease_until = null, changed_at = ${now}
    where tenant_id = ${tenant} and work_id = ${work.workId} and state = 'running' and claims = ${work.claims}`;
}
