import type { ErasureScopeKind } from "../../domain/erasure.js";
import type { FieldId, RouteId, RunId, SessionId, TurnId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { TurnRole } from "../../domain/turn.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { ExternalKind } from "./external-id-insert.js";

/** A session, run, source, turn or episode of the subject, by its internal id. */
export interface Target {
  readonly scope: ErasureScopeKind;
  readonly target: string;
}

export interface MappingRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly internalId: string;
  readonly lookup: Uint8Array;
  readonly sealed: Uint8Array;
}

/** The mapping of an external id of the subject, by its look-up or by the internal id. */
export function findMapping(
  permit: Permit,
  kind: ExternalKind,
  wanted: { readonly lookup: Uint8Array; readonly internalId: string | null },
): Statement<MappingRow> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<MappingRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", internal_id as "internalId", lookup, sealed
      from muniment.external_id
      where tenant_id = ${tenant} and subject_id = ${subject} and kind = ${kind}
        and (lookup = ${wanted.lookup} or internal_id = ${wanted.internalId}::uuid)
      order by (lookup = ${wanted.lookup}) desc, internal_id
      limit 1`,
  );
}

/** True where the subject has it. */
export function findTarget(
  permit: Permit,
  { scope, target }: Target,
): Statement<{ readonly isThere: boolean }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly isThere: boolean }>`
    select case ${scope}::text
      when 'session' then exists (
        select 1 from muniment.session s where s.tenant_id = ${tenant} and s.subject_id = ${subject} and s.session_id = ${target}::uuid)
      when 'run' then exists (
        select 1 from muniment.run r where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.run_id = ${target}::uuid)
      when 'episode' then exists (
        select 1 from muniment.episode e where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.episode_id = ${target}::uuid)
      when 'source' then exists (
        select 1 from muniment.turn t where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.source_id = ${target}::uuid)
        or exists (
          select 1 from muniment.event v where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.source_id = ${target}::uuid)
      when 'turn' then exists (
        select 1 from muniment.turn t where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = ${target}::uuid)
      else false end as "isThere"
    order by 1
    limit 1`;
}

/** The same of a field of the store: values, or proposals. */
export function findStoredField(
  permit: Permit,
  field: FieldId,
): Statement<{ readonly isThere: boolean }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly isThere: boolean }>`
    select exists (
        select 1 from muniment.field_value v where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.field_id = ${field})
      or exists (
        select 1 from muniment.candidate c where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.field_id = ${field})
      as "isThere"
    order by 1
    limit 1`;
}

/** A turn with all that its seal and its names hang on. */
export interface ReachedTurn {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: SessionId;
  readonly workspaceId: WorkspaceId;
  readonly turnId: TurnId;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly role: TurnRole;
  readonly observedAt: Date;
  readonly recordedAt: Date;
  readonly evidenceUntil: Date | null;
  readonly contentSealed: Uint8Array;
  readonly sourceId: string | null;
  readonly sourceLookup: Uint8Array | null;
  readonly sourceSealed: Uint8Array | null;
}

/**
 * Turns of a session, run or source, or one turn, whether their clocks run or not. What was recorded after `until` isn't among them.
 * Names are looked up one by one: where the planner has no statistics, it would compare each turn with each name.
 */
export function listReachedTurns(
  permit: Permit,
  { scope, target }: Target,
  until: Date | null,
  limit: number,
): Statement<ReachedTurn> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<ReachedTurn>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        t.source_id as "sourceId", o.lookup as "sourceLookup", o.sealed as "sourceSealed"
      from muniment.turn t
      left join lateral (
        select x.lookup, x.sealed from muniment.external_id x
        where x.tenant_id = t.tenant_id and x.subject_id = t.subject_id and x.internal_id = t.source_id
        order by x.internal_id
        limit 1) o on true
      where t.tenant_id = ${tenant} and t.subject_id = ${subject}
        and case ${scope}::text when 'session' then t.session_id when 'run' then t.run_id when 'source' then t.source_id
          when 'turn' then t.turn_id end = ${target}::uuid
        and t.recorded_at <= coalesce(${until}::timestamptz, 'infinity')
      order by t.session_id, t.seq
      limit ${limit}`,
  );
}

export interface ReachedEvent {
  readonly eventId: string;
  readonly workspaceId: WorkspaceId;
  readonly effectiveAt: Date;
}

/** Every revision of a connector's record up to then; none where something else is meant. */
export function listReachedEvents(
  permit: Permit,
  source: string | null,
  until: Date | null,
  limit: number,
): Statement<ReachedEvent> {
  const { tenant, subject } = subjectScope(permit);
  return sql<ReachedEvent>`
    select event_id as "eventId", workspace_id as "workspaceId", effective_at as "effectiveAt" from muniment.event
    where tenant_id = ${tenant} and subject_id = ${subject} and source_id = ${source}::uuid
      and recorded_at <= coalesce(${until}::timestamptz, 'infinity')
    order by event_id
    limit ${limit}`;
}

/**
 * Observations that cite any of it, and those that correct one of them, in as many steps as it takes: who worded a correction had
 * what it corrects in sight.
 */
export function listReachedObservations(
  permit: Permit,
  of: {
    readonly turns: readonly string[];
    readonly runs: readonly string[];
    readonly session: string | null;
    readonly until: Date | null;
  },
): Statement<{ readonly observationId: string }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly observationId: string }>`
    with recursive reached as (
      select o.observation_id from muniment.observation o
      where o.tenant_id = ${tenant} and o.subject_id = ${subject}
        and (o.turn_ids && ${of.turns}::uuid[] or (o.recorded_at <= coalesce(${of.until}::timestamptz, 'infinity')
          and (o.session_id = ${of.session}::uuid or o.run_id = any(${of.runs}::uuid[]))))
      union
      select l.observation_id from muniment.observation l
      join reached r on r.observation_id = l.supersedes
      where l.tenant_id = ${tenant} and l.subject_id = ${subject}
    )
    select observation_id as "observationId" from reached order by observation_id`;
}
