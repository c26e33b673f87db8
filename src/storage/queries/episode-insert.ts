import type { Outcome } from "../../domain/digest.js";
import type { EpisodeId, RouteId, RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { sessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewEpisode {
  readonly episodeId: EpisodeId;
  readonly run: RunId;
  readonly routeId: RouteId;
  readonly dataClass: string | null;
  readonly origin: "session_close" | "append";
  readonly outcome: Outcome;
  readonly turnIds: readonly string[];
  readonly observedAt: Date;
  readonly expiresAt: Date;
  readonly summarySealed: Uint8Array;
  readonly termsSealed: Uint8Array;
}

/**
 * One episode, under the revision that the touch before it gave the subject. What a failed run came to is marked as not
 * promoted: no later run is shown it. The same episode again adds nothing.
 */
export function insertEpisode(permit: Permit, episode: NewEpisode): Statement {
  const { tenant, subject, workspace, session, now } = sessionScope(permit);
  return sql`
    insert into muniment.episode
      (tenant_id, subject_id, episode_id, workspace_id, session_id, run_id, route_id, data_class, origin, outcome, unpromoted,
       turn_ids, revision, observed_at, recorded_at, expires_at, summary_sealed, terms_sealed)
    select u.tenant_id, u.subject_id, ${episode.episodeId}::uuid, ${workspace}::uuid, ${session}::uuid, ${episode.run}::uuid,
      ${episode.routeId}::text, ${episode.dataClass}::text, ${episode.origin}::text, ${episode.outcome}::text,
      ${episode.outcome === "failed"}::boolean, ${episode.turnIds}::uuid[], u.revision, ${episode.observedAt}::timestamptz,
      ${now}::timestamptz, ${episode.expiresAt}::timestamptz, ${episode.summarySealed}::bytea, ${episode.termsSealed}::bytea
    from muniment.subject u
    where u.tenant_id = ${tenant} and u.subject_id = ${subject}
    on conflict (tenant_id, subject_id, episode_id) do nothing`;
}
