import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { TurnRow } from "./turn-list-by-session.js";
import type { Reached } from "./vector-list.js";

export interface TurnToEmbed extends TurnRow {
  readonly revision: number;
}

/** The subject's evidence behind what a model's vectors reached, in their order, whatever its workspace and route. */
export function listTurnsToEmbed(
  permit: Permit,
  reached: Reached,
  limit: number,
): Statement<TurnToEmbed> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<TurnToEmbed>`
      with next as (
        select n.revision, n.turn_id
        from muniment.turn n
        where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.revision > 0
          and n.revision >= ${reached.revision}::bigint
          and (n.revision, n.turn_id) > (${reached.revision}::bigint, ${reached.turnId}::uuid) and n.evidence_until > ${now}
        order by n.revision, n.turn_id
        limit ${limit}
      )
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        t.speaker_id as "speakerId", e.lookup as "speakerLookup", e.sealed as "speakerSealed", t.revision
      from next
      join muniment.turn t on t.turn_id = next.turn_id and t.revision = next.revision
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.speaker_id limit 1) e on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and u.state = 'active' and u.key_id = ${keyId}
      order by t.revision, t.turn_id
      limit ${limit}`,
  );
}
