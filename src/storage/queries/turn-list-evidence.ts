import type { TurnId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { TurnRow } from "./turn-list-by-session.js";

/** Columns that tell that a turn still is evidence: its own clock. */
export interface EvidenceRow extends TurnRow {
  readonly expiresAt: Date;
  readonly sourceId: string | null;
  readonly sourceLookup: Uint8Array | null;
  readonly sourceSealed: Uint8Array | null;
}

export interface EvidenceWanted {
  readonly ids: readonly TurnId[];
  /** Newest turns written after this revision of the subject as well, up to `newerMax`. */
  readonly newerThan: number;
  readonly newerMax: number;
}

/** Turns as evidence: only of the permit's workspace and of the routes that its pin may read. */
export function listEvidence(permit: Permit, wanted: EvidenceWanted): Statement<EvidenceRow> {
  const { tenant, subject, keyId, workspace, recallFrom, now } = subjectScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true, expiry: true },
    sql<EvidenceRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        t.speaker_id as "speakerId", e.lookup as "speakerLookup", e.sealed as "speakerSealed", t.evidence_until as "expiresAt",
        t.source_id as "sourceId", o.lookup as "sourceLookup", o.sealed as "sourceSealed"
      from muniment.turn t
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.speaker_id limit 1) e on true
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.source_id limit 1) o on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = any(${wanted.ids}::uuid[] || array(
          select n.turn_id from muniment.turn n
          where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.revision > 0
            and n.revision > ${wanted.newerThan}
          order by n.revision desc, n.turn_id limit ${wanted.newerMax}))
        and t.workspace_id = ${workspace} and t.route_id = any(${recallFrom}::text[]) and t.evidence_until > ${now}
        and u.state = 'active' and u.key_id = ${keyId}
      order by t.turn_id
      limit ${wanted.ids.length + wanted.newerMax}`,
  );
}
