import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** None of these turns was forgotten since it was looked at. Behind a statement that waits for the subject's row. */
export function requireTurns(permit: Permit, turns: readonly string[]): Statement {
  const { tenant, subject } = subjectScope(permit);
  const wanted = [...new Set(turns)];
  return sql`
    with standing as (
      select turn_id from muniment.turn
      where tenant_id = ${tenant} and subject_id = ${subject} and turn_id = any(${wanted}::uuid[])
    )
    select muniment.require((select count(*) from standing) = ${wanted.length}::integer, 'purged_meanwhile')`;
}
