import type { KeyId, RouteId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { TraceOutcome } from "../../domain/run-trace.js";
import { runScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface TraceRow {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly workspaceId: string;
  readonly keyId: KeyId;
  readonly traceId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly routeId: RouteId;
  readonly outcome: TraceOutcome;
  readonly terminalReason: string;
  readonly stages: readonly string[];
  readonly recordedAt: Date;
  readonly expiresAt: Date;
  readonly rolledUpAt: Date | null;
  /** Null where the application told nothing of the run. */
  readonly factsSealed: Uint8Array | null;
}

export interface TraceFilter {
  readonly run: string | null;
  readonly route: string | null;
  readonly outcome: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/** Fails with `run_not_found` where the tenant has no such run: a search beyond the tenant is an error, not an empty answer. */
export function requireOwnRun(permit: Permit<"query_traces">, run: string): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    select muniment.require(exists (
      select 1 from muniment.run r where r.tenant_id = ${tenant} and r.run_id = ${run}::uuid), 'run_not_found')`;
}

/** Traces of the tenant's workspace whose clock runs, newest first. */
export function listTraces(
  permit: Permit<"query_traces">,
  { run, route, outcome, before, limit }: TraceFilter,
): Statement<TraceRow> {
  const { tenant, workspace, now } = tenantScope(permit);
  return rechecked(
    { subject: true, workspace: true, expiry: true },
    sql<TraceRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.workspace_id as "workspaceId", u.key_id as "keyId",
        t.trace_id as "traceId", t.session_id as "sessionId", t.run_id as "runId", t.route_id as "routeId", t.outcome,
        t.terminal_reason as "terminalReason", t.stages, t.recorded_at as "recordedAt", t.expires_at as "expiresAt",
        t.rolled_up_at as "rolledUpAt", t.facts_sealed as "factsSealed"
      from muniment.trace t
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      where t.tenant_id = ${tenant} and t.workspace_id = ${workspace} and t.expires_at > ${now} and u.state = 'active'
        and (${run}::uuid is null or t.run_id = ${run}::uuid)
        and (${route}::text is null or t.route_id = ${route}::text)
        and (${outcome}::text is null or t.outcome = ${outcome}::text)
        and (${before}::uuid is null or t.trace_id < ${before}::uuid)
      order by t.trace_id desc
      limit ${limit}`,
  );
}

/** Traces of the subject's other runs, of the routes that the permit's pin may read, newest first. */
export function listEarlierTraces(permit: Permit<"last_time">, limit: number): Statement<TraceRow> {
  const { tenant, subject, keyId, workspace, run, recallFrom, now } = runScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true, expiry: true },
    sql<TraceRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.workspace_id as "workspaceId", u.key_id as "keyId",
        t.trace_id as "traceId", t.session_id as "sessionId", t.run_id as "runId", t.route_id as "routeId", t.outcome,
        t.terminal_reason as "terminalReason", t.stages, t.recorded_at as "recordedAt", t.expires_at as "expiresAt",
        t.rolled_up_at as "rolledUpAt", t.facts_sealed as "factsSealed"
      from muniment.trace t
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.workspace_id = ${workspace} and t.run_id <> ${run}
        and t.route_id = any(${recallFrom}::text[]) and t.expires_at > ${now} and u.state = 'active' and u.key_id = ${keyId}
      order by t.trace_id desc
      limit ${limit}`,
  );
}
