import type { RunId, TurnId } from "../../domain/ids.js";
import type { TurnRole } from "../../domain/turn.js";
import type { SessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewTurn {
  readonly turnId: TurnId;
  readonly run: RunId;
  readonly routeId: string;
  readonly role: TurnRole;
  readonly speakerLookup: Uint8Array | null;
  readonly sourceLookup: Uint8Array | null;
  readonly observedAt: Date;
  readonly evidenceUntil: Date | null;
  readonly contentSealed: Uint8Array;
  readonly termsSealed: Uint8Array;
  /** Places from the last of the append: the last turn has 0. */
  readonly fromLast: number;
  /** False for a turn that is evidence alone: no epoch of the session ever shows it as conversation. */
  readonly conversation: boolean;
}

/**
 * One turn, under the sequence numbers that the touch before it took. A turn of a source that is there already adds nothing
 * and returns no row, but for one: what was imported into this session as evidence becomes its conversation when it is
 * said, as the row that stands, with its own text, route and evidence clock. Another session's turn stays that session's.
 */
export function insertTurn(scope: SessionScope, turn: NewTurn): Statement<{ turnId: TurnId }> {
  const { tenant, subject, session, workspace, now } = scope;
  return sql<{ turnId: TurnId }>`
    insert into muniment.turn as t
      (tenant_id, subject_id, session_id, seq, turn_id, workspace_id, run_id, route_id, epoch, role, speaker_id, source_id,
       revision, observed_at, recorded_at, evidence_until, content_sealed, terms_sealed)
    select s.tenant_id, s.subject_id, s.session_id, s.last_seq - ${turn.fromLast}::integer, ${turn.turnId}::uuid, ${workspace}::uuid,
      ${turn.run}::uuid, ${turn.routeId}::text, case when ${turn.conversation}::boolean then s.epoch else 0 end, ${turn.role}::text,
      (select e.internal_id from muniment.external_id e
        where e.tenant_id = ${tenant} and e.kind = 'speaker' and e.lookup = ${turn.speakerLookup}::bytea and e.subject_id = ${subject}),
      (select e.internal_id from muniment.external_id e
        where e.tenant_id = ${tenant} and e.kind = 'source' and e.lookup = ${turn.sourceLookup}::bytea and e.subject_id = ${subject}),
      u.revision, ${turn.observedAt}::timestamptz, ${now}::timestamptz, ${turn.evidenceUntil}::timestamptz,
      ${turn.contentSealed}::bytea, ${turn.termsSealed}::bytea
    from muniment.session s
    join muniment.subject u on u.tenant_id = s.tenant_id and u.subject_id = s.subject_id
    where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session} and s.workspace_id = ${workspace}
    on conflict (tenant_id, subject_id, source_id) do update
    set epoch = excluded.epoch, seq = excluded.seq, revision = excluded.revision
    where t.epoch = 0 and excluded.epoch > 0 and t.session_id = excluded.session_id
    returning t.turn_id as "turnId"`;
}
