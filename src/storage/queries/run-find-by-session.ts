import type { RouteId, RunId, SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** The first run of a route in a session: the one that imported turns belong to. */
export function findRunBySession(
  permit: Permit,
  session: SessionId,
  routeId: RouteId,
): Statement<{ runId: RunId }> {
  const { tenant, subject, workspace } = subjectScope(permit);
  return sql<{ runId: RunId }>`
    select run_id as "runId"
    from muniment.run
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and workspace_id = ${workspace}
      and route_id = ${routeId}
    order by run_id
    limit 1`;
}
