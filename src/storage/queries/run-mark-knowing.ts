import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";

/**
 * What is under way in these runs rests on what they knew, until they take a pack. One that waited for an answer to what is gone goes
 * on: nobody could answer it any more. Behind the escalations.
 */
export function markKnowing(permit: Permit, knowing: readonly KnowingRun[]): Statement {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  return sql`
    update muniment.run r
    set knows_forgotten = true, state = case
      when r.state = 'waiting' and not exists (
        select 1 from muniment.escalation e
        where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.run_id = r.run_id and e.answered_at is null)
      then 'active' else r.state end
    where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.run_id = any(${runs}::uuid[])
      and r.state not in ('completed', 'closed') and (r.state = 'waiting' or not r.knows_forgotten)`;
}
