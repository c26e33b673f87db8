import type { Outcome } from "../../domain/digest.js";
import type { EpisodeId, RouteId, RunId, SessionId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface EpisodeRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly episodeId: EpisodeId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly dataClass: string | null;
  readonly origin: "session_close" | "append";
  readonly outcome: Outcome;
  readonly unpromoted: boolean;
  readonly observedAt: Date;
  readonly recordedAt: Date;
  readonly expiresAt: Date;
  readonly revision: number;
  readonly summarySealed: Uint8Array;
}

/**
 * Episodes that a run may recall, newest first: of the permit's workspace and of the routes that its pin may read, while
 * their clock runs. What a failed run came to isn't among them unless somebody has promoted it.
 */
export function listEpisodes(permit: Permit, limit: number): Statement<EpisodeRow> {
  const { tenant, subject, keyId, workspace, recallFrom, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true, expiry: true },
    sql<EpisodeRow>`
      select e.tenant_id as "tenantId", e.subject_id as "subjectId", e.workspace_id as "workspaceId", e.episode_id as "episodeId",
        e.session_id as "sessionId", e.run_id as "runId", e.route_id as "routeId", e.data_class as "dataClass", e.origin,
        e.outcome, e.unpromoted, e.observed_at as "observedAt", e.recorded_at as "recordedAt", e.expires_at as "expiresAt",
        e.revision, e.summary_sealed as "summarySealed"
      from muniment.episode e
      join muniment.subject u on u.tenant_id = e.tenant_id and u.subject_id = e.subject_id
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.workspace_id = ${workspace}
        and e.route_id = any(${recallFrom}::text[]) and e.expires_at > ${now} and not e.unpromoted
        and u.state = 'active' and u.key_id = ${keyId}
      order by e.revision desc, e.episode_id
      limit ${limit}`,
  );
}
