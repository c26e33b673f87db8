import type { SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * A new session of the live subject, expired until its first turn. Its mapping follows in the same transaction.
 * Fails with `subject_gone` where the subject has ended: nothing may be made for it any more.
 */
export function insertSession(permit: Permit, session: SessionId): Statement {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning tenant_id, subject_id
    ), made as (
      insert into muniment.session
        (tenant_id, subject_id, session_id, workspace_id, active_run_id, state, epoch, last_seq, expires_at, created_at, closed_at)
      select tenant_id, subject_id, ${session}::uuid, ${workspace}::uuid, null, 'open', 1, 0, ${now}::timestamptz, ${now}::timestamptz, null
      from live
      returning session_id
    )
    select muniment.require(exists (select 1 from made), 'subject_gone')`;
}
