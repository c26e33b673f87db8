import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { KnowingRun } from "./run-list-knowing.js";

/** What is under way in these runs rests on what they knew, until they take a pack. */
export function markKnowing(permit: Permit, knowing: readonly KnowingRun[]): Statement {
  const { tenant, subject } = subjectScope(permit);
  const runs = knowing.map(({ runId }) => runId);
  return sql`
    update muniment.run set knows_forgotten = true
    where tenant_id = ${tenant} and subject_id = ${subject} and run_id = any(${runs}::uuid[])
      and state not in ('completed', 'closed') and not knows_forgotten`;
}
