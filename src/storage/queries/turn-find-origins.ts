import type { RouteId, RunId, SessionId, TurnId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { TurnRole } from "../../domain/turn.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** Where a turn came from. No text. */
export interface TurnOrigin {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: string;
  readonly turnId: TurnId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly role: TurnRole;
  readonly recordedAt: Date;
}

/** Origins of turns that a pack names, while one of their clocks runs. */
export function findTurnOrigins(permit: Permit, ids: readonly TurnId[]): Statement<TurnOrigin> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true },
    sql<TurnOrigin>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.workspace_id as "workspaceId", t.turn_id as "turnId",
        t.session_id as "sessionId", t.run_id as "runId", t.route_id as "routeId", t.role, t.recorded_at as "recordedAt"
      from muniment.turn t
      join muniment.session s on s.tenant_id = t.tenant_id and s.subject_id = t.subject_id and s.session_id = t.session_id
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.workspace_id = ${workspace}
        and t.turn_id = any(${ids}::uuid[]) and u.state = 'active' and u.key_id = ${keyId}
        and (t.evidence_until > ${now} or (t.epoch = s.epoch and s.expires_at > ${now}))
      order by t.turn_id
      limit ${ids.length}`,
  );
}
