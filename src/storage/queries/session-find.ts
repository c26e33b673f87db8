import type { RunId, SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface SessionRow {
  readonly sessionId: SessionId;
  readonly activeRunId: RunId | null;
  /** The external id: opens in the place of this mapping alone. */
  readonly sealed: Uint8Array;
}

/** The session of the permit's workspace behind an external id of one subject, by its HMAC under the subject's key. */
export function findSessionByLookup(
  permit: Permit<"resolve">,
  subject: string,
  lookup: Uint8Array,
): Statement<SessionRow> {
  const { tenant, workspace } = tenantScope(permit);
  return sql<SessionRow>`
    select s.session_id as "sessionId", s.active_run_id as "activeRunId", e.sealed
    from muniment.external_id e
    join muniment.session s
      on s.tenant_id = e.tenant_id and s.subject_id = e.subject_id and s.session_id = e.internal_id
    where e.tenant_id = ${tenant} and e.kind = 'session' and e.lookup = ${lookup} and e.subject_id = ${subject}
      and s.workspace_id = ${workspace}
    order by s.session_id
    limit 1`;
}
