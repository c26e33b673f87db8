import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Which of these subjects have ended. */
export function listEndedSubjects(
  permit: Permit,
  subjects: readonly SubjectId[],
): Statement<{ readonly subjectId: SubjectId }> {
  const { tenant } = tenantScope(permit);
  return sql<{ readonly subjectId: SubjectId }>`
    select subject_id as "subjectId"
    from muniment.subject
    where tenant_id = ${tenant} and subject_id = any(${subjects}::uuid[]) and state = 'ended'
    order by subject_id
    limit ${subjects.length}`;
}
