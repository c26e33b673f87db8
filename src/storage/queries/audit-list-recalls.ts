import type { Permit } from "../../domain/permit.js";
import type { Touched } from "../../domain/trace.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface RecallRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly runId: string;
  readonly operation: "recall_turns" | "recall_episodes" | "recall_observations" | "assemble";
  readonly reads: readonly Touched[];
}

/** What the permit's run has recalled so far, newest first: by a recall of its own, or into a pack. */
export function listRecalls(permit: Permit, limit: number): Statement<RecallRow> {
  const { tenant, subject, run } = runScope(permit);
  return rechecked(
    { subject: true, run: true },
    sql<RecallRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", run_id as "runId", operation,
        memory_reads as reads
      from muniment.audit
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run}
        and operation in ('recall_turns', 'recall_episodes', 'recall_observations', 'assemble') and verdict = 'allow' and memory_reads <> '[]'::jsonb
      order by audit_id desc
      limit ${limit}`,
  );
}
