import type { ObservationId } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { USER_MODEL } from "../../domain/view.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { ObservationRow } from "./observation-list.js";

/** An observation with the later one that corrects it, where there is one. */
export interface StandingObservation extends Omit<ObservationRow, "termsSealed"> {
  readonly supersededBy: ObservationId | null;
}

const STANDING = { subject: true, workspace: true, expiry: true } as const;

/** Observations of the permit's workspace that its user model doesn't know yet, oldest first. */
export function listFreshObservations(
  permit: Permit<"consolidate_subject">,
): Statement<StandingObservation> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    STANDING,
    sql<StandingObservation>`
      select o.tenant_id as "tenantId", o.subject_id as "subjectId", o.workspace_id as "workspaceId",
        o.observation_id as "observationId", o.session_id as "sessionId", o.run_id as "runId", o.route_id as "routeId",
        o.dimension_id as "dimensionId", o.basis, o.tier, o.is_safety as "isSafety", o.turn_ids as "turnIds",
        o.speaker_id as "speakerId", o.supersedes, o.revision, o.observed_at as "observedAt", o.recorded_at as "recordedAt",
        o.expires_at as "expiresAt", o.body_sealed as "bodySealed",
        (select s.observation_id from muniment.observation s
          where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.workspace_id = ${workspace}
            and s.supersedes = o.observation_id and s.expires_at > ${now}
          order by s.revision desc, s.observation_id limit 1) as "supersededBy"
      from muniment.observation o
      join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
      left join muniment.view v on v.tenant_id = o.tenant_id and v.subject_id = o.subject_id
        and v.workspace_id = o.workspace_id and v.view_id = ${USER_MODEL}
      where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace} and o.expires_at > ${now}
        and o.revision > coalesce(v.revision, 0) and u.state = 'active' and u.key_id = ${keyId}
      order by o.revision, o.observation_id
      limit ${LIMITS.consolidateFreshMax + 1}`,
  );
}

/**
 * Observations that the model knows and that still matter to it: those that it cites, those that fresh ones correct, those about
 * safety, and of each dimension and route the newest. Newest first.
 */
export function listEarlierObservations(
  permit: Permit<"consolidate_subject">,
): Statement<StandingObservation> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return rechecked(
    STANDING,
    sql<StandingObservation>`
      with known as (
        select o.tenant_id, o.subject_id, o.workspace_id, o.observation_id, o.session_id, o.run_id, o.route_id, o.dimension_id,
          o.basis, o.tier, o.is_safety, o.turn_ids, o.speaker_id, o.supersedes, o.revision, o.observed_at, o.recorded_at,
          o.expires_at, o.body_sealed, coalesce(v.depends, '{}'::uuid[]) as cited, coalesce(v.revision, 0) as upto,
          row_number() over (partition by o.route_id, o.dimension_id order by o.revision desc, o.observation_id) as place,
          row_number() over (partition by o.is_safety order by o.revision desc, o.observation_id) as safety_place,
          (select s.observation_id from muniment.observation s
            where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.workspace_id = ${workspace}
              and s.supersedes = o.observation_id and s.expires_at > ${now}
            order by s.revision desc, s.observation_id limit 1) as superseded_by
        from muniment.observation o
        join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
        left join muniment.view v on v.tenant_id = o.tenant_id and v.subject_id = o.subject_id
          and v.workspace_id = o.workspace_id and v.view_id = ${USER_MODEL}
        where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace} and o.expires_at > ${now}
          and o.revision <= coalesce(v.revision, 0) and u.state = 'active' and u.key_id = ${keyId}
      )
      select k.tenant_id as "tenantId", k.subject_id as "subjectId", k.workspace_id as "workspaceId",
        k.observation_id as "observationId", k.session_id as "sessionId", k.run_id as "runId", k.route_id as "routeId",
        k.dimension_id as "dimensionId", k.basis, k.tier, k.is_safety as "isSafety", k.turn_ids as "turnIds",
        k.speaker_id as "speakerId", k.supersedes, k.revision, k.observed_at as "observedAt", k.recorded_at as "recordedAt",
        k.expires_at as "expiresAt", k.body_sealed as "bodySealed", k.superseded_by as "supersededBy"
      from known k
      where k.place <= ${LIMITS.consolidateBackMax} or k.observation_id = any(k.cited)
        or (k.is_safety and k.safety_place <= ${LIMITS.consolidateSafetyMax})
        or exists (select 1 from muniment.observation f
          where f.tenant_id = ${tenant} and f.subject_id = ${subject} and f.observation_id = k.superseded_by and f.revision > k.upto)
      order by k.revision desc, k.observation_id
      limit ${LIMITS.observationsSearchedMax}`,
  );
}
