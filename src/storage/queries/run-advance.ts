import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Where a failed run will go on: the index of the stage after the completed one. */
export function advanceRun(permit: Permit, resumeIndex: number): Statement {
  const { tenant, subject, session, run } = runScope(permit);
  return sql`
    update muniment.run set resume_index = ${resumeIndex}
    where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}`;
}
