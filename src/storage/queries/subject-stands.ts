import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { SubjectRevision } from "./subject-read.js";

/**
 * Fails with `index_behind` unless the permit's live subject stands just there: then nothing of it was written or forgotten
 * since. Holds off who forgets something until the transaction's end, as `shareSubject` does.
 */
export function requireStanding(permit: Permit, standing: SubjectRevision): Statement {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql`
    with standing as (
      select subject_id from muniment.subject
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
        and revision = ${standing.revision} and purge_revision = ${standing.purgeRevision}
      order by subject_id
      limit 1
      for key share
    )
    select muniment.require(exists (select 1 from standing), 'index_behind')`;
}
