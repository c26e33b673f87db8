import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface KnowingRun {
  readonly runId: RunId;
  /** From then on what was written in the run may come from what it knew. */
  readonly since: Date;
}

/** Runs that were shown one of these turns, events or observations in a pack. */
export function listShownRuns(permit: Permit, sources: readonly string[]): Statement<KnowingRun> {
  const { tenant, subject } = subjectScope(permit);
  return sql<KnowingRun>`
    with shown as (
      select p.run_id, p.created_at from muniment.pack p
      where p.tenant_id = ${tenant} and p.subject_id = ${subject}
        and exists (
          select 1 from jsonb_array_elements(p.manifest -> 'entries') entry
          where entry ->> 'why' in ('required', 'fits') and entry -> 'source' ?| ${sources}::text[])
    )
    select run_id as "runId", min(created_at) as since from shown group by run_id order by run_id`;
}

/** Runs of a session; none where there is no session. */
export function listRunsOfSession(
  permit: Permit,
  session: string | null,
): Statement<{ readonly runId: RunId }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly runId: RunId }>`
    with own as (
      select run_id from muniment.run
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}::uuid
    )
    select run_id as "runId" from own order by run_id`;
}
