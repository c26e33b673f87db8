import type {
  DimensionId,
  ObservationId,
  RouteId,
  RunId,
  SessionId,
  SpeakerId,
  TurnId,
  WorkspaceId,
} from "../../domain/ids.js";
import type { ObservationBasis, ObservationTier } from "../../domain/observation.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface ObservationRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly workspaceId: WorkspaceId;
  readonly observationId: ObservationId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly dimensionId: DimensionId;
  readonly basis: ObservationBasis;
  readonly tier: ObservationTier;
  readonly isSafety: boolean;
  readonly turnIds: readonly TurnId[];
  readonly speakerId: SpeakerId | null;
  readonly supersedes: ObservationId | null;
  readonly revision: number;
  readonly observedAt: Date;
  readonly recordedAt: Date;
  readonly expiresAt: Date;
  readonly bodySealed: Uint8Array;
  readonly termsSealed: Uint8Array;
}

export interface ListedObservation extends ObservationRow {
  /** How many there are, those beyond the limit too. */
  readonly of: number;
}

/** Observations that a run may recall, newest first: of the permit's workspace and the routes that its pin may read. */
export function listObservations(permit: Permit, limit: number): Statement<ListedObservation> {
  const { recallFrom } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true, expiry: true },
    standing(permit, { routes: recallFrom, after: null, limit }),
  );
}

export type CorrectingObservation = Pick<
  ListedObservation,
  "tenantId" | "subjectId" | "workspaceId" | "routeId" | "expiresAt"
> &
  Pick<ListedObservation, "observationId" | "supersedes" | "turnIds">;

/** Of the same ones what corrects which, and of which turns they were made: nothing that is sealed. */
export function listCorrections(permit: Permit, limit: number): Statement<CorrectingObservation> {
  const { tenant, subject, keyId, workspace, recallFrom, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true, expiry: true },
    sql<CorrectingObservation>`
      select o.tenant_id as "tenantId", o.subject_id as "subjectId", o.workspace_id as "workspaceId", o.route_id as "routeId",
        o.expires_at as "expiresAt", o.observation_id as "observationId", o.supersedes, o.turn_ids as "turnIds"
      from muniment.observation o
      join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
      where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}
        and o.route_id = any(${recallFrom}::text[]) and o.expires_at > ${now}
        and u.state = 'active' and u.key_id = ${keyId}
      order by o.revision desc, o.observed_at desc, o.observation_id
      limit ${limit}`,
  );
}

/**
 * The same of any route, or of one, for jobs that derive from them: newest first. With `after`, those alone that were written
 * under a later revision of the subject.
 */
export function listObservationsOfSubject(
  permit: Permit,
  {
    routes = null,
    after = null,
    limit,
  }: { routes?: readonly RouteId[] | null; after?: number | null; limit: number },
): Statement<ObservationRow> {
  return rechecked(
    { subject: true, workspace: true, expiry: true },
    standing(permit, { routes, after, limit }),
  );
}

function standing(
  permit: Permit,
  asked: { routes: readonly RouteId[] | null; after: number | null; limit: number },
): Statement<ListedObservation> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  const { routes, after, limit } = asked;
  return sql<ListedObservation>`
    select o.tenant_id as "tenantId", o.subject_id as "subjectId", o.workspace_id as "workspaceId",
      o.observation_id as "observationId", o.session_id as "sessionId", o.run_id as "runId", o.route_id as "routeId",
      o.dimension_id as "dimensionId", o.basis, o.tier, o.is_safety as "isSafety", o.turn_ids as "turnIds",
      o.speaker_id as "speakerId", o.supersedes, o.revision, o.observed_at as "observedAt", o.recorded_at as "recordedAt",
      o.expires_at as "expiresAt", o.body_sealed as "bodySealed", o.terms_sealed as "termsSealed",
      (count(*) over ())::int as "of"
    from muniment.observation o
    join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
    where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}
      and (${routes}::text[] is null or o.route_id = any(${routes}::text[])) and o.expires_at > ${now}
      and (${after}::bigint is null or o.revision > ${after}::bigint)
      and u.state = 'active' and u.key_id = ${keyId}
    order by o.revision desc, o.observed_at desc, o.observation_id
    limit ${limit}`;
}
