import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Advances the live subject. Fails with `subject_gone` where it has ended, or lives under another key. */
export function advanceSubject(permit: Permit): Statement {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    )
    select muniment.require(exists (select 1 from live), 'subject_gone')`;
}
