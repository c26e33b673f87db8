import type { RouteId, RunId, SpeakerId, TurnId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { TurnRole } from "../../domain/turn.js";
import { sessionScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface TurnRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly turnId: TurnId;
  readonly seq: number;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly role: TurnRole;
  readonly observedAt: Date;
  readonly recordedAt: Date;
  /** When it stops being evidence; null where it never was. Part of the seal's place, as are the ids and the role. */
  readonly evidenceUntil: Date | null;
  readonly contentSealed: Uint8Array;
  readonly speakerId: SpeakerId | null;
  readonly speakerLookup: Uint8Array | null;
  readonly speakerSealed: Uint8Array | null;
}

/** Columns that tell that a turn still is conversation: its session's clock and epoch. */
export interface ConversationRow extends TurnRow {
  readonly expiresAt: Date;
  readonly epoch: number;
  readonly currentEpoch: number;
}

/**
 * Turns of the permit's session (of a child: of its run alone) as conversation, newest first, older than `beforeSeq` where
 * given. Session and subject are read once, not for each turn.
 */
export function listTurnsBySession(
  permit: Permit,
  limit: number,
  beforeSeq: number | null,
): Statement<ConversationRow> {
  const { tenant, subject, keyId, workspace, session, turnsOf = null, now } = sessionScope(permit);
  return rechecked(
    { subject: true, workspace: true, session: true, expiry: true, epoch: true },
    sql<ConversationRow>`
      with here as materialized (
        select s.tenant_id, s.subject_id, s.session_id, s.expires_at, s.epoch
        from muniment.session s
        join muniment.subject u on u.tenant_id = s.tenant_id and u.subject_id = s.subject_id
        where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session} and s.expires_at > ${now}
          and u.state = 'active' and u.key_id = ${keyId}
      )
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        t.speaker_id as "speakerId", e.lookup as "speakerLookup", e.sealed as "speakerSealed",
        s.expires_at as "expiresAt", t.epoch, s.epoch as "currentEpoch"
      from muniment.turn t
      join here s on s.tenant_id = t.tenant_id and s.subject_id = t.subject_id and s.session_id = t.session_id
      left join lateral (
        select n.lookup, n.sealed from muniment.external_id n
        where n.tenant_id = t.tenant_id and n.subject_id = t.subject_id and n.internal_id = t.speaker_id limit 1) e on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.session_id = ${session} and t.workspace_id = ${workspace}
        and (${turnsOf}::uuid is null or t.run_id = ${turnsOf}::uuid)
        and t.epoch = s.epoch and (${beforeSeq}::bigint is null or t.seq < ${beforeSeq}::bigint)
      order by t.seq desc
      limit ${limit}`,
  );
}
