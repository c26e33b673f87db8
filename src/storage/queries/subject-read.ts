import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface SubjectRevision {
  readonly revision: number;
  readonly purgeRevision: number;
}

/** Where the permit's live subject stands. */
export function readSubject(permit: Permit): Statement<SubjectRevision> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<SubjectRevision>`
    select revision, purge_revision as "purgeRevision"
    from muniment.subject
    where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
    order by subject_id
    limit 1`;
}

/**
 * The same, and holds off who forgets something until the transaction's end: whose run was told of what is read behind it stands
 * in the trail by then. Readers and writers don't wait for each other.
 */
export function shareSubject(permit: Permit): Statement<SubjectRevision> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<SubjectRevision>`
    select revision, purge_revision as "purgeRevision"
    from muniment.subject
    where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
    order by subject_id
    limit 1
    for key share`;
}
