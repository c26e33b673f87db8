import type { Permit } from "../../domain/permit.js";
import type { TraceOutcome } from "../../domain/run-trace.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewTrace {
  readonly traceId: string;
  readonly outcome: TraceOutcome;
  readonly terminalReason: string;
  readonly expiresAt: Date;
  readonly factsSealed: Uint8Array;
  readonly promptsSealed: Uint8Array | null;
}

/** The trace of the permit's run as it stands now, with the stages that it has completed. */
export function insertTrace(permit: Permit, trace: NewTrace): Statement {
  const { tenant, subject, workspace, session, run, now } = runScope(permit);
  return sql`
    insert into muniment.trace
      (tenant_id, subject_id, trace_id, workspace_id, session_id, run_id, route_id, outcome, terminal_reason, stages, recorded_at,
       expires_at, rolled_up_at, facts_sealed, prompts_sealed)
    select r.tenant_id, r.subject_id, ${trace.traceId}::uuid, ${workspace}::uuid, ${session}::uuid, r.run_id, r.route_id,
      ${trace.outcome}::text, ${trace.terminalReason}::text,
      array(select w.item_key from muniment.working w
        where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = ${run} and w.class = 'slot'
        order by w.seq, w.item_key),
      ${now}::timestamptz, ${trace.expiresAt}::timestamptz, null, ${trace.factsSealed}::bytea, ${trace.promptsSealed}::bytea
    from muniment.run r
    where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.run_id = ${run}`;
}
