import type { RouteId, RunId, SessionId, TurnId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { TurnRole } from "../../domain/turn.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** What claims a time after `since`, a page behind the row with the id `after`. */
export interface AheadPage {
  readonly since: Date;
  readonly after: string;
  readonly limit: number;
}

/** A turn with what its text and its source are opened by. */
export interface TurnAhead {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: SessionId;
  readonly workspaceId: WorkspaceId;
  readonly turnId: TurnId;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly role: TurnRole;
  readonly evidenceUntil: Date | null;
  readonly contentSealed: Uint8Array;
  readonly sourceId: string | null;
  readonly sourceLookup: Uint8Array | null;
  readonly sourceSealed: Uint8Array | null;
}

/** The subject's turns that claim a later time, whether their clocks run or not. */
export function listTurnsAhead(
  permit: Permit,
  { since, after, limit }: AheadPage,
): Statement<TurnAhead> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<TurnAhead>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.run_id as "runId", t.route_id as "routeId", t.role, t.evidence_until as "evidenceUntil",
        t.content_sealed as "contentSealed", t.source_id as "sourceId", o.lookup as "sourceLookup", o.sealed as "sourceSealed"
      from muniment.turn t
      left join lateral (
        select x.lookup, x.sealed from muniment.external_id x
        where x.tenant_id = t.tenant_id and x.subject_id = t.subject_id and x.internal_id = t.source_id
        order by x.internal_id
        limit 1) o on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.observed_at > ${since} and t.turn_id > ${after}::uuid
      order by t.turn_id
      limit ${limit}`,
  );
}
