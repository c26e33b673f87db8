import type { RunId, SessionId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface KnowingRun {
  readonly runId: RunId;
  /** From then on what was written in the run may come from what it knew. */
  readonly since: Date;
}

/**
 * Runs that were given one of these turns, events, observations, episodes, values, traces or escalations: in a pack, or by a recall
 * of their own. As the trail has it, which outlives the records of packs.
 */
export function listToldRuns(permit: Permit, sources: readonly string[]): Statement<KnowingRun> {
  const { tenant, subject } = subjectScope(permit);
  return sql<KnowingRun>`
    with told as (
      select a.run_id, a.recorded_at
      from muniment.audit a
      where a.tenant_id = ${tenant} and a.subject_id = ${subject} and a.run_id is not null and a.verdict = 'allow'
        and a.operation in ('assemble', 'recall_turns', 'recall_episodes', 'recall_observations', 'last_time')
        and exists (
          select 1 from jsonb_array_elements(a.memory_reads) as given, jsonb_array_elements_text(given -> 'ids') as id
          where id = any(${sources}::text[]))
    )
    select run_id as "runId", min(recorded_at) as since from told group by run_id order by run_id`;
}

/** What is kept of runs beside their working memory, from the moment on in which they knew: traces, and what they raised. */
export function listRecordsOf(
  permit: Permit,
  knowing: readonly KnowingRun[],
): Statement<{ readonly recordId: string }> {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<{ readonly recordId: string }>`
    with records as (
      select t.trace_id as "recordId"
      from muniment.trace t
      join unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since) on k.run_id = t.run_id
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.recorded_at >= k.since
      union all
      select e.escalation_id
      from muniment.escalation e
      join unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since) on k.run_id = e.run_id
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and coalesce(e.answered_at, e.raised_at) >= k.since
    )
    select "recordId" from records order by "recordId"`;
}

export interface KnowingChat extends KnowingRun {
  readonly sessionId: SessionId;
}

/**
 * All runs of the chats of these: what one of them knows, the others are told by the conversation, or are handed. From when on the
 * first of them knew, and not before it came.
 */
export function listRunsOfChats(
  permit: Permit,
  knowing: readonly KnowingRun[],
): Statement<KnowingChat> {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<KnowingChat>`
    with chats as (
      select r.session_id, min(greatest(k.since, r.created_at)) as since
      from muniment.run r
      join unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since) on k.run_id = r.run_id
      where r.tenant_id = ${tenant} and r.subject_id = ${subject}
      group by r.session_id
    )
    select q.run_id as "runId", q.session_id as "sessionId", c.since
    from muniment.run q
    join chats c on c.session_id = q.session_id
    where q.tenant_id = ${tenant} and q.subject_id = ${subject}
    order by q.run_id`;
}

export interface TargetRun {
  readonly runId: RunId;
  /** It began, or something was said in it, after what is forgotten of it was recorded. */
  readonly goesOn: boolean;
}

/** Runs of a session, or one run; none where something else is meant. */
export function listTargetRuns(
  permit: Permit,
  { session, run }: { readonly session: string | null; readonly run: string | null },
  until: Date | null,
): Statement<TargetRun> {
  const { tenant, subject } = subjectScope(permit);
  return sql<TargetRun>`
    with own as (
      select r.run_id as "runId", (r.created_at > coalesce(${until}::timestamptz, 'infinity') or exists (
        select 1 from muniment.turn t
        where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.run_id = r.run_id
          and t.recorded_at > coalesce(${until}::timestamptz, 'infinity'))) as "goesOn"
      from muniment.run r
      where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.created_at > '-infinity'
        and (r.session_id = ${session}::uuid or r.run_id = ${run}::uuid)
    )
    select "runId", "goesOn" from own order by "runId"`;
}
