import type { DimensionId, ObservationId, RouteId, RunId, SpeakerId } from "../../domain/ids.js";
import type { ObservationBasis, ObservationTier } from "../../domain/observation.js";
import type { Permit } from "../../domain/permit.js";
import { sessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewObservation {
  readonly observationId: ObservationId;
  readonly run: RunId;
  readonly routeId: RouteId;
  readonly dimensionId: DimensionId;
  readonly basis: ObservationBasis;
  readonly tier: ObservationTier;
  readonly isSafety: boolean;
  /** Never empty. */
  readonly turnIds: readonly string[];
  readonly speakerId: SpeakerId | null;
  readonly supersedes: ObservationId | null;
  readonly contentMac: Uint8Array;
  readonly observedAt: Date;
  readonly expiresAt: Date;
  readonly bodySealed: Uint8Array;
  readonly termsSealed: Uint8Array;
}

/**
 * One observation, under the revision that the touch before it gave the subject. What was observed before, in these words,
 * adds nothing: then no row comes back.
 */
export function insertObservation(
  permit: Permit,
  observation: NewObservation,
): Statement<{ readonly observationId: ObservationId }> {
  const { tenant, subject, workspace, session, now } = sessionScope(permit);
  const { observationId, run, routeId, dimensionId, basis, tier, isSafety } = observation;
  const { turnIds, speakerId, supersedes, contentMac, observedAt, expiresAt } = observation;
  return sql<{ readonly observationId: ObservationId }>`
    insert into muniment.observation
      (tenant_id, subject_id, observation_id, workspace_id, session_id, run_id, route_id, dimension_id, basis, tier, is_safety,
       turn_ids, speaker_id, supersedes, content_mac, revision, observed_at, recorded_at, expires_at, body_sealed, terms_sealed)
    select u.tenant_id, u.subject_id, ${observationId}::uuid, ${workspace}::uuid, ${session}::uuid, ${run}::uuid,
      ${routeId}::text, ${dimensionId}::text, ${basis}::text, ${tier}::text, ${isSafety}::boolean, ${turnIds}::uuid[],
      ${speakerId}::uuid, ${supersedes}::uuid, ${contentMac}::bytea, u.revision, ${observedAt}::timestamptz,
      ${now}::timestamptz, ${expiresAt}::timestamptz, ${observation.bodySealed}::bytea, ${observation.termsSealed}::bytea
    from muniment.subject u
    where u.tenant_id = ${tenant} and u.subject_id = ${subject}
    on conflict do nothing
    returning observation_id as "observationId"`;
}
