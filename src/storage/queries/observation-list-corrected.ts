import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { ObservationRow } from "./observation-list.js";

/** Observations of these routes that something of an archive may say it corrects, whatever their workspace: newest first. */
export function listCorrectable(
  permit: Permit<"import_subject">,
  routes: readonly string[],
): Statement<Omit<ObservationRow, "termsSealed">> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  return rechecked(
    { subject: true, expiry: true },
    sql<Omit<ObservationRow, "termsSealed">>`
      select o.tenant_id as "tenantId", o.subject_id as "subjectId", o.workspace_id as "workspaceId",
        o.observation_id as "observationId", o.session_id as "sessionId", o.run_id as "runId", o.route_id as "routeId",
        o.dimension_id as "dimensionId", o.basis, o.tier, o.is_safety as "isSafety", o.turn_ids as "turnIds",
        o.speaker_id as "speakerId", o.supersedes, o.revision, o.observed_at as "observedAt", o.recorded_at as "recordedAt",
        o.expires_at as "expiresAt", o.body_sealed as "bodySealed"
      from muniment.observation o
      join muniment.subject u on u.tenant_id = o.tenant_id and u.subject_id = o.subject_id
      where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.route_id = any(${routes}::text[]) and o.expires_at > ${now}
        and u.state = 'active' and u.key_id = ${keyId}
      order by o.revision desc, o.observation_id
      limit ${LIMITS.observationsSearchedMax}`,
  );
}
