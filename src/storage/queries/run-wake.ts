import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Lets a waiting run go on while its idle clock runs. Moves the clock and advances the subject. */
export function wakeRun(permit: Permit, profileHash: string, expiresAt: Date): Statement {
  const { tenant, subject, keyId, session, run, now } = runScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), woken as (
      update muniment.run set state = 'active', version = version + 1, expires_at = ${expiresAt}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and profile_hash = ${profileHash} and state = 'waiting' and expires_at > ${now}
        and exists (select 1 from live)
      returning run_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from woken), 'not_waiting')`;
}
