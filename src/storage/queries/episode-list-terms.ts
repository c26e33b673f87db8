import type { EpisodeId, RouteId, SessionId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface EpisodeTermsRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly episodeId: EpisodeId;
  readonly sessionId: SessionId;
  readonly routeId: RouteId;
  readonly observedAt: Date;
  readonly expiresAt: Date;
  readonly revision: number;
  readonly termsSealed: Uint8Array;
}

/**
 * Search terms of the subject's episodes written after `afterRevision`, newest first: what an index lacks. What a failed run
 * came to isn't among them: no later run is shown it.
 */
export function listEpisodeTerms(
  permit: Permit,
  afterRevision: number,
  limit: number,
): Statement<EpisodeTermsRow> {
  const { tenant, subject, now } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<EpisodeTermsRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", workspace_id as "workspaceId", episode_id as "episodeId",
        session_id as "sessionId", route_id as "routeId", observed_at as "observedAt", expires_at as "expiresAt", revision,
        terms_sealed as "termsSealed"
      from muniment.episode
      where tenant_id = ${tenant} and subject_id = ${subject} and revision > ${afterRevision} and expires_at > ${now}
        and not unpromoted
      order by revision desc, episode_id
      limit ${limit}`,
  );
}
