import type { Permit } from "../../domain/permit.js";
import type { ObservationSpan } from "../../domain/work.js";
import { sessionScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { TurnRow } from "./turn-list-by-session.js";

/** Turns of a part of the session that still are evidence, oldest first, with who said them. */
export function listTurnsToObserve(
  permit: Permit,
  { after_epoch: afterEpoch, epoch, after_seq: afterSeq, until_seq, last_seq }: ObservationSpan,
  limit: number,
): Statement<TurnRow & { readonly expiresAt: Date }> {
  const { tenant, subject, keyId, workspace, session, now } = sessionScope(permit);
  const ends = [until_seq, last_seq].filter((end) => end !== undefined);
  const end = ends.length === 0 ? null : Math.min(...ends);
  return rechecked(
    { subject: true, workspace: true, session: true, expiry: true },
    sql<TurnRow & { readonly expiresAt: Date }>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.evidence_until as "expiresAt",
        t.content_sealed as "contentSealed", t.speaker_id as "speakerId", e.lookup as "speakerLookup",
        e.sealed as "speakerSealed"
      from muniment.turn t
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.speaker_id limit 1) e on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.session_id = ${session} and t.workspace_id = ${workspace}
        and t.epoch > ${afterEpoch} and t.epoch <= ${epoch} and t.seq > ${afterSeq}
        and (${end}::bigint is null or t.seq <= ${end}::bigint) and t.evidence_until > ${now}
        and u.state = 'active' and u.key_id = ${keyId}
      order by t.seq
      limit ${limit}`,
  );
}
