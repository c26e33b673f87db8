import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Ends the run as failed (it may be resumed), completed or closed. `touchRun` before it has checked that it is active. */
export function endRun(
  permit: Permit,
  state: "failed" | "completed" | "closed",
  failureCode: string | null,
): Statement {
  const { tenant, subject, session, run, now } = runScope(permit);
  return sql`
    with ended as (
      update muniment.run set state = ${state}, failure_code = ${failureCode}, ended_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and state = 'active'
      returning run_id
    )
    select muniment.require(exists (select 1 from ended), 'run_unusable')`;
}

/** Leaves the session without an active run, where it still is this one. */
export function releaseRun(permit: Permit): Statement {
  const { tenant, subject, session, run } = runScope(permit);
  return sql`
    update muniment.session set active_run_id = null
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and active_run_id = ${run}`;
}
