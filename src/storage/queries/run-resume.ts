import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * Takes a failed run up again where its checkpoint still is there; the run must be the session's active one and unexpired.
 * Moves the idle clock and advances the subject.
 */
export function resumeRun(permit: Permit, profileHash: string, expiresAt: Date): Statement {
  const { tenant, subject, keyId, session, run, now } = runScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), resumed as (
      update muniment.run set state = 'active', failure_code = null, ended_at = null, version = version + 1, expires_at = ${expiresAt}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and profile_hash = ${profileHash} and state = 'failed' and expires_at > ${now}
        and exists (select 1 from live)
        and exists (
          select 1 from muniment.checkpoint c
          where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.run_id = ${run})
      returning run_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from resumed), 'cannot_resume')`;
}
