import type { EpisodeId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { EpisodeRow } from "./episode-list.js";

/** The episodes of these ids that a run may recall, in no order: as `listEpisodes` lists them. */
export function findEpisodes(permit: Permit, ids: readonly EpisodeId[]): Statement<EpisodeRow> {
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
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.episode_id = any(${ids}::uuid[])
        and e.workspace_id = ${workspace} and e.route_id = any(${recallFrom}::text[]) and e.expires_at > ${now}
        and not e.unpromoted and u.state = 'active' and u.key_id = ${keyId}
      order by e.episode_id
      limit ${ids.length}`,
  );
}
