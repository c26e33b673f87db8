import type { SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** A new session, expired until its first turn. Its mapping follows in the same transaction. */
export function insertSession(permit: Permit, session: SessionId): Statement {
  const { tenant, subject, workspace, now } = subjectScope(permit);
  return sql`
    insert into muniment.session
      (tenant_id, subject_id, session_id, workspace_id, active_run_id, state, epoch, last_seq, expires_at, created_at, closed_at)
    values (${tenant}, ${subject}, ${session}, ${workspace}, null, 'open', 1, 0, ${now}, ${now}, null)`;
}
