import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { inTable, type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";
import type { Removed } from "./subject-end.js";

/** What goes, by internal ids, when something of a subject that lives on is forgotten. */
export interface Reach {
  readonly turns: readonly string[];
  readonly events: readonly string[];
  readonly observations: readonly string[];
  readonly episodes: readonly string[];
  /** Proposals, with the values that were promoted from them. */
  readonly candidates: readonly string[];
  /** Runs that go as a whole. */
  readonly runs: readonly string[];
  readonly session: string | null;
  readonly source: string | null;
  /** Runs that knew of it, and from when on. */
  readonly knowing: readonly KnowingRun[];
}

/** Every revision of a source's record. */
export function deleteEvents(permit: Permit, { events }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.event where tenant_id = ${tenant} and subject_id = ${subject} and event_id = any(${events}::uuid[])
      returning event_id
    )
    select count(*) as removed from removed`;
}

/** Vectors or turns, by the turns. A vector goes with its turn; on its own where the turn gets another text. */
export function deleteTurns(
  permit: Permit,
  table: "turn" | "vector",
  { turns }: Reach,
): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  const ofTurns = sql<Removed>`
    with removed as (
      delete from muniment.turn where tenant_id = ${tenant} and subject_id = ${subject} and turn_id = any(${turns}::uuid[])
      returning subject_id
    )
    select count(*) as removed from removed`;
  return inTable(ofTurns, "turn", table);
}

export function deleteEpisodes(permit: Permit, { episodes }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.episode where tenant_id = ${tenant} and subject_id = ${subject} and episode_id = any(${episodes}::uuid[])
      returning episode_id
    )
    select count(*) as removed from removed`;
}

export interface RemovedObservation {
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly routeId: string;
}

/** Observations that rest on any of it. */
export function deleteObservations(
  permit: Permit,
  { observations }: Reach,
): Statement<RemovedObservation> {
  const { tenant, subject } = subjectScope(permit);
  return sql<RemovedObservation>`
    delete from muniment.observation o
    where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.observation_id = any(${observations}::uuid[])
    returning o.session_id as "sessionId", o.workspace_id as "workspaceId", o.route_id as "routeId"`;
}

/** Asks for the episodes of a closed session's routes anew, over what is left of it. */
export function insertRecompression(
  permit: Permit,
  work: {
    readonly workId: string;
    readonly session: string;
    readonly dataClass: string | null;
    readonly routes: readonly string[];
  },
): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const { workId, session, dataClass, routes } = work;
  return sql`
    insert into muniment.work
      (tenant_id, work_id, kind, subject_id, workspace_id, session_id, detail, state, attempts, problem, lease_until, created_at,
       changed_at)
    select s.tenant_id, ${workId}::uuid, 'compress_session', s.subject_id, s.workspace_id, s.session_id,
      jsonb_build_object('after_epoch', 0, 'epoch', s.compressed_epoch, 'data_class', ${dataClass}::text,
        'routes', to_jsonb(${routes}::text[])),
      'queued', 0, null, null, ${now}::timestamptz, ${now}::timestamptz
    from muniment.session s
    where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${session}::uuid`;
}

type WrittenTable = "checkpoint" | "trace";

/** What runs wrote from the moment on in which they knew of it. */
export function deleteWritten(
  permit: Permit,
  table: WrittenTable,
  { knowing }: Reach,
): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  const ofCheckpoint = sql<Removed>`
    with removed as (
      delete from muniment.checkpoint w using unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since)
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = k.run_id and w.recorded_at >= k.since
      returning w.run_id
    )
    select count(*) as removed from removed`;
  return inTable(ofCheckpoint, "checkpoint", table);
}

/** The same of working memory. */
export function deleteWorking(permit: Permit, { knowing, runs }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  const ids = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<Removed>`
    with removed as (
      delete from muniment.working w using unnest(${ids}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since)
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = k.run_id and w.recorded_at >= k.since
        and (w.class <> 'contract' or w.run_id = any(${runs}::uuid[]))
      returning w.run_id
    )
    select count(*) as removed from removed`;
}

/** The same of what they raised to a human, with the answers. */
export function deleteEscalations(permit: Permit, { knowing }: Reach): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  const sinces = knowing.map(({ since }) => since);
  return sql<Removed>`
    with removed as (
      delete from muniment.escalation w using unnest(${runs}::uuid[], ${sinces}::timestamptz[]) as k (run_id, since)
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = k.run_id and coalesce(w.answered_at, w.raised_at) >= k.since
      returning w.run_id
    )
    select count(*) as removed from removed`;
}
