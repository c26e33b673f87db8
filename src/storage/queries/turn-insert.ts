import type { TurnId } from "../../domain/ids.js";
import type { TurnRole } from "../../domain/turn.js";
import type { RunScope, SessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Touch } from "./run-touch.js";

export interface NewTurn {
  readonly turnId: TurnId;
  readonly role: TurnRole;
  readonly speakerLookup: Uint8Array | null;
  readonly sourceLookup: Uint8Array | null;
  readonly observedAt: Date;
  readonly evidenceUntil: Date | null;
  readonly contentSealed: Uint8Array;
  readonly termsSealed: Uint8Array;
}

/** Turns of one session and run, in their order. No two of them are of one source. */
export interface NewTurns {
  readonly run: string;
  readonly routeId: string;
  readonly turns: readonly NewTurn[];
  /** Look-ups of their speakers and sources, each once. */
  readonly names: readonly Uint8Array[];
}

export interface Inserted {
  /** Not those of sources that were there already. */
  readonly turnIds: readonly TurnId[];
}

function columnsOf(turns: readonly NewTurn[]) {
  const column = <K extends keyof NewTurn>(name: K) => turns.map((turn) => turn[name]);
  return {
    ids: column("turnId"),
    roles: column("role"),
    speakers: column("speakerLookup"),
    sources: column("sourceLookup"),
    observed: column("observedAt"),
    untils: column("evidenceUntil"),
    contents: column("contentSealed"),
    terms: column("termsSealed"),
  };
}

/**
 * What was said in a run: advances subject and run where both still are what the permit was given for, takes the sequence
 * numbers and moves the session's clock. An expired session starts a new epoch, so nothing of the old one becomes readable
 * again. Fails with `subject_gone`, `run_unusable` (ended, expired, another version, another pin), `knows_forgotten`,
 * `session_closed`, or `name_missing` where a speaker or source isn't kept.
 *
 * A turn of a source that is there already adds nothing, but for one: what was imported into this session as evidence
 * becomes its conversation when it is said, as the row that stands, with its own text, route and evidence clock. Another
 * session's turn stays that session's.
 */
export function insertConversation(
  scope: RunScope,
  touch: Touch,
  { run, routeId, turns, names }: NewTurns,
): Statement<Inserted> {
  const { tenant, subject, keyId, session, workspace, now } = scope;
  const expected = touch.expectedVersion ?? null;
  const { ids, roles, speakers, sources, observed, untils, contents, terms } = columnsOf(turns);
  return sql<Inserted>`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), used as (
      update muniment.run
      set version = version + 1, expires_at = ${touch.expiresAt},
        resume_index = coalesce(${touch.resumeIndex ?? null}::integer, resume_index)
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and profile_hash = ${touch.pin.profileHash} and state = 'active' and expires_at > ${now}
        and (${expected}::bigint is null or version = ${expected}::bigint)
        and exists (select 1 from live)
      returning knows_forgotten
    ), said as (
      update muniment.session
      set last_seq = last_seq + ${turns.length}::integer, expires_at = ${touch.expiresAt},
        epoch = epoch + case when expires_at <= ${now} and last_seq > 0 then 1 else 0 end
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and workspace_id = ${workspace}
        and state = 'open' and exists (select 1 from used)
      returning last_seq, epoch
    ), named as (
      select lookup, internal_id from muniment.external_id
      where tenant_id = ${tenant} and kind in ('speaker', 'source') and lookup = any(${names}::bytea[]) and subject_id = ${subject}
    ), made as (
      insert into muniment.turn as t
        (tenant_id, subject_id, session_id, seq, turn_id, workspace_id, run_id, route_id, epoch, role, speaker_id, source_id,
         revision, observed_at, recorded_at, evidence_until, content_sealed, terms_sealed)
      select ${tenant}::uuid, ${subject}::uuid, ${session}::uuid, said.last_seq - ${turns.length}::integer + n.place, n.turn_id,
        ${workspace}::uuid, ${run}::uuid, ${routeId}::text, said.epoch, n.role,
        (select internal_id from named where lookup = n.speaker), (select internal_id from named where lookup = n.source),
        live.revision, n.observed_at, ${now}::timestamptz, n.evidence_until, n.content_sealed, n.terms_sealed
      from said
      cross join live
      cross join unnest(${ids}::uuid[], ${roles}::text[], ${speakers}::bytea[], ${sources}::bytea[], ${observed}::timestamptz[],
        ${untils}::timestamptz[], ${contents}::bytea[], ${terms}::bytea[]) with ordinality
        as n (turn_id, role, speaker, source, observed_at, evidence_until, content_sealed, terms_sealed, place)
      on conflict (tenant_id, subject_id, source_id) where source_id is not null do update
      set epoch = excluded.epoch, seq = excluded.seq, revision = excluded.revision
      where t.epoch = 0 and t.session_id = excluded.session_id
      returning t.turn_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from used), 'run_unusable'),
      muniment.require(not ${touch.byAgent}::boolean or not exists (select 1 from used where knows_forgotten), 'knows_forgotten'),
      muniment.require(exists (select 1 from said), 'session_closed'),
      muniment.require((select count(*) from named) = ${names.length}::integer, 'name_missing'),
      array(select turn_id from made) as "turnIds"`;
}

/**
 * Turns of the past, as evidence alone: no epoch of the session ever shows them as conversation. They stand under the
 * sequence numbers that the touch before them took. A turn of a source that is there already adds nothing.
 */
export function insertEvidence(
  scope: SessionScope,
  { run, routeId, turns, names }: NewTurns,
): Statement<Inserted> {
  const { tenant, subject, session, workspace, now } = scope;
  const { ids, roles, speakers, sources, observed, untils, contents, terms } = columnsOf(turns);
  return sql<Inserted>`
    with named as (
      select lookup, internal_id from muniment.external_id
      where tenant_id = ${tenant} and kind in ('speaker', 'source') and lookup = any(${names}::bytea[]) and subject_id = ${subject}
    ), made as (
      insert into muniment.turn
        (tenant_id, subject_id, session_id, seq, turn_id, workspace_id, run_id, route_id, epoch, role, speaker_id, source_id,
         revision, observed_at, recorded_at, evidence_until, content_sealed, terms_sealed)
      select s.tenant_id, s.subject_id, s.session_id, s.last_seq - ${turns.length}::integer + n.place, n.turn_id, s.workspace_id,
        ${run}::uuid, ${routeId}::text, 0, n.role, speaker.internal_id, source.internal_id,
        u.revision, n.observed_at, ${now}::timestamptz, n.evidence_until, n.content_sealed, n.terms_sealed
      from muniment.session s
      join muniment.subject u on u.tenant_id = s.tenant_id and u.subject_id = s.subject_id
      cross join unnest(${ids}::uuid[], ${roles}::text[], ${speakers}::bytea[], ${sources}::bytea[], ${observed}::timestamptz[],
        ${untils}::timestamptz[], ${contents}::bytea[], ${terms}::bytea[]) with ordinality
        as n (turn_id, role, speaker, source, observed_at, evidence_until, content_sealed, terms_sealed, place)
      left join named speaker on speaker.lookup = n.speaker
      left join named source on source.lookup = n.source
      where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session} and s.workspace_id = ${workspace}
      on conflict (tenant_id, subject_id, source_id) where source_id is not null do nothing
      returning turn_id
    )
    select muniment.require((select count(*) from named) = ${names.length}::integer, 'name_missing'),
      array(select turn_id from made) as "turnIds"`;
}
