import type { KeyId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface SubjectRow {
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  /** The external id: opens in the place of this mapping alone. */
  readonly sealed: Uint8Array;
}

/** The active subject behind an external id, by its HMAC under the tenant key. */
export function findSubjectByLookup(
  permit: Permit<"resolve">,
  lookup: Uint8Array,
): Statement<SubjectRow> {
  const { tenant } = tenantScope(permit);
  return sql<SubjectRow>`
    select s.subject_id as "subjectId", s.key_id as "keyId", e.sealed
    from muniment.external_id e
    join muniment.subject s on s.tenant_id = e.tenant_id and s.subject_id = e.subject_id
    where e.tenant_id = ${tenant} and e.kind = 'subject' and e.lookup = ${lookup} and s.state = 'active'
    order by s.subject_id
    limit 1`;
}
