import type { RouteId, RunId, SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { MemoryProfile } from "../../domain/profile.js";
import type { Route } from "../../domain/route.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** A run with what it is pinned to. */
export interface PinnedRunRow {
  readonly runId: RunId;
  readonly definition: Route;
  readonly profile: MemoryProfile;
  readonly profileHash: string;
}

/** The first run of a route in a session, under its own pin: the one that imported turns belong to. */
export function findRunBySession(
  permit: Permit,
  session: SessionId,
  routeId: RouteId,
): Statement<PinnedRunRow> {
  const { tenant, subject, workspace } = subjectScope(permit);
  return sql<PinnedRunRow>`
    select r.run_id as "runId", t.definition, r.profile, r.profile_hash as "profileHash"
    from muniment.run r
    join muniment.route t on t.tenant_id = r.tenant_id and t.route_id = r.route_id and t.version = r.route_version
    where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.session_id = ${session} and r.workspace_id = ${workspace}
      and r.created_at > '-infinity' and r.route_id = ${routeId}
    order by r.run_id
    limit 1`;
}
