import type { CandidateId, FieldId, WorkspaceId } from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";

/** What is forgotten in the first place, by what it is of. */
export interface Forgotten {
  readonly turns: readonly string[];
  readonly runs: readonly string[];
  readonly session: string | null;
  readonly episode: string | null;
  /** Of a session or run, what was recorded by then; null where it is forgotten as it stands. */
  readonly until: Date | null;
  /** True where a session goes on without what is forgotten of it. */
  readonly goesOn: boolean;
  /** Proposals that are of the source itself. */
  readonly proposals: readonly string[];
}

export interface ReachedEpisode {
  readonly episodeId: string;
  readonly sessionId: string;
  readonly runId: string | null;
  readonly routeId: string;
  readonly dataClass: string | null;
  /** Its session goes on without what is forgotten: the episode is made again of what is left. */
  readonly hasMore: boolean;
}

/**
 * Episodes that were made of it, or by and of runs that knew of it by then. What a session came to was made of all that its route
 * had said and worked on by then.
 */
export function listReachedEpisodes(
  permit: Permit,
  of: Forgotten,
  knowing: readonly KnowingRun[],
): Statement<ReachedEpisode> {
  const { tenant, subject } = subjectScope(permit);
  const { turns, runs, session, episode, until, goesOn } = of;
  const ids = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<ReachedEpisode>`
    with reached as (
      select e.episode_id as "episodeId", e.session_id as "sessionId", e.run_id as "runId", e.route_id as "routeId",
        e.data_class as "dataClass",
        (e.origin = 'session_close' and e.episode_id is distinct from ${episode}::uuid
          and (${goesOn}::boolean or e.session_id is distinct from ${session}::uuid)) as "hasMore"
      from muniment.episode e
      where e.tenant_id = ${tenant} and e.subject_id = ${subject}
        and (e.episode_id = ${episode}::uuid
          or (e.recorded_at <= coalesce(${until}::timestamptz, 'infinity')
            and (e.session_id = ${session}::uuid or e.run_id = any(${runs}::uuid[])))
          or e.turn_ids && ${turns}::uuid[]
          or (e.origin = 'session_close' and exists (
            select 1 from muniment.turn t
            where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = any(${turns}::uuid[]) and t.epoch > 0
              and t.session_id = e.session_id and t.route_id = e.route_id and t.recorded_at <= e.recorded_at))
          or exists (
            select 1 from muniment.run r
            join unnest(${ids}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since) on k.run_id = r.run_id
            where r.tenant_id = ${tenant} and r.subject_id = ${subject} and e.recorded_at >= k.since
              and (r.run_id = e.run_id or (e.origin = 'session_close' and r.session_id = e.session_id and r.route_id = e.route_id))))
    )
    select "episodeId", "sessionId", "runId", "routeId", "dataClass", "hasMore" from reached order by "episodeId"`;
}

export interface ReachedCandidate {
  readonly candidateId: string;
  readonly runId: string | null;
  readonly sessionKey: string;
  readonly evidence: readonly string[];
}

/** Proposals that rest on it alone, promoted ones among them: their values go too. */
export function listCandidatesOf(
  permit: Permit,
  { turns, runs, session, proposals, until }: Forgotten,
): Statement<ReachedCandidate> {
  const { tenant, subject } = subjectScope(permit);
  return sql<ReachedCandidate>`
    with reached as (
      select candidate_id as "candidateId", run_id as "runId", session_key as "sessionKey", evidence
      from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject}
        and (candidate_id = any(${proposals}::uuid[]) or (evidence <@ ${turns}::uuid[] and cardinality(evidence) > 0)
          or (created_at <= coalesce(${until}::timestamptz, 'infinity')
            and (session_key = ${session}::uuid or (cardinality(evidence) = 0 and run_id = any(${runs}::uuid[])))))
    )
    select "candidateId", "runId", "sessionKey", evidence from reached order by "candidateId"`;
}

/** Of which fields values were proposed in a workspace, and by which kinds of sources. */
export function listProposedFields(
  permit: Permit,
  workspace: WorkspaceId,
): Statement<{ readonly fieldId: FieldId; readonly origin: Origin }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly fieldId: FieldId; readonly origin: Origin }>`
    with proposed as (
      select distinct field_id as "fieldId", origin from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace}
    )
    select "fieldId", origin from proposed order by "fieldId", origin`;
}

/** Which of these proposals stand, whatever was decided on them; of all of the subject's where null. */
export function listCandidateIds(
  permit: Permit,
  among: readonly string[] | null,
): Statement<{ readonly candidateId: CandidateId }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly candidateId: CandidateId }>`
    with standing as (
      select candidate_id as "candidateId" from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject} and (${among}::uuid[] is null or candidate_id = any(${among}::uuid[]))
    )
    select "candidateId" from standing order by "candidateId"`;
}

/** All proposals of a field up to then, in every workspace; but for the one of the standing value, where that is to stay. */
export function listCandidatesOfField(
  permit: Permit,
  field: FieldId,
  keepsStanding: boolean,
  until: Date | null,
): Statement<ReachedCandidate> {
  const { tenant, subject } = subjectScope(permit);
  return sql<ReachedCandidate>`
    with reached as (
      select c.candidate_id as "candidateId", c.run_id as "runId", c.session_key as "sessionKey", c.evidence
      from muniment.candidate c
      where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.field_id = ${field}
        and c.created_at <= coalesce(${until}::timestamptz, 'infinity')
        and not (${keepsStanding}::boolean and exists (
          select 1 from muniment.field_value v
          where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.candidate_id = c.candidate_id
            and not exists (
              select 1 from muniment.field_value n
              where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.workspace_id = v.workspace_id
                and n.field_id = v.field_id and n.session_key = v.session_key and n.version > v.version)))
    )
    select "candidateId", "runId", "sessionKey", evidence from reached order by "candidateId"`;
}

/** Proposals that wait or were rejected, of runs that knew of it by then, and that name no turn as their evidence. */
export function listUnprovenCandidates(
  permit: Permit,
  knowing: readonly KnowingRun[],
): Statement<ReachedCandidate> {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<ReachedCandidate>`
    with reached as (
      select c.candidate_id as "candidateId", c.run_id as "runId", c.session_key as "sessionKey", c.evidence
      from muniment.candidate c
      join unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since) on k.run_id = c.run_id
      where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.created_at >= k.since and cardinality(c.evidence) = 0
        and c.state in ('open', 'quarantined', 'rejected')
    )
    select "candidateId", "runId", "sessionKey", evidence from reached order by "candidateId"`;
}

/** Decisions by which these proposals became values: as such values stand in packs. */
export function listPromotionsOf(
  permit: Permit,
  candidates: readonly string[],
): Statement<{ readonly promotionId: string }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly promotionId: string }>`
    with reached as (
      select promotion_id as "promotionId" from muniment.promotion
      where tenant_id = ${tenant} and subject_id = ${subject} and candidate_id = any(${candidates}::uuid[])
    )
    select "promotionId" from reached order by "promotionId"`;
}

/** What turns, alone or of whole sessions, are of: as a hold may name it. */
export function listTurnPlaces(
  permit: Permit,
  turns: readonly string[],
  sessions: readonly string[],
): Statement<{
  readonly turnId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly sourceId: string | null;
}> {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    with reached as (
      select turn_id as "turnId", session_id as "sessionId", run_id as "runId", source_id as "sourceId"
      from muniment.turn
      where tenant_id = ${tenant} and subject_id = ${subject} and (turn_id = any(${turns}::uuid[]) or session_id = any(${sessions}::uuid[]))
    )
    select "turnId", "sessionId", "runId", "sourceId" from reached order by "turnId"`;
}
