import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { TurnRow } from "./turn-list-by-session.js";

/** Named turns of the permit's subject, whatever their workspace, with who said them. */
export function findCitedTurns(
  permit: Permit<"import_subject">,
  turns: readonly string[],
): Statement<TurnRow> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<TurnRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        t.speaker_id as "speakerId", e.lookup as "speakerLookup", e.sealed as "speakerSealed"
      from muniment.turn t
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.speaker_id limit 1) e on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = any(${turns}::uuid[])
        and u.state = 'active' and u.key_id = ${keyId}
      order by t.turn_id
      limit ${turns.length}`,
  );
}
