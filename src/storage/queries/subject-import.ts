import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** When the permit's live subject came. */
export function readSubjectBegin(permit: Permit): Statement<{ readonly createdAt: Date }> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<{ readonly createdAt: Date }>`
    select created_at as "createdAt"
    from muniment.subject
    where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
    order by subject_id
    limit 1`;
}

/**
 * Advances the live subject by as many revisions as rows come, and dates it back to when it came to where they are from.
 * Fails with `subject_gone`. Whoever else writes to the subject waits from here on.
 */
export function takeRevisions(
  permit: Permit,
  rows: number,
  createdAt: Date,
): Statement<{ readonly revision: number }> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<{ readonly revision: number }>`
    with live as (
      update muniment.subject
      set revision = revision + ${rows}::integer, created_at = least(created_at, ${createdAt}::timestamptz)
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'), (select revision from live) as revision`;
}
