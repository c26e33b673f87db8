import type { KeyId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface ListedSubject {
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  readonly createdAt: Date;
  readonly lookup: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Live subjects after one of them, with their sealed external ids. */
export function listSubjects(
  permit: Permit,
  after: string,
  limit: number,
): Statement<ListedSubject> {
  const { tenant } = tenantScope(permit);
  return sql<ListedSubject>`
    select u.subject_id as "subjectId", u.key_id as "keyId", u.created_at as "createdAt", e.lookup, e.sealed
    from muniment.subject u
    join lateral (
      select n.lookup, n.sealed from muniment.external_id n
      where n.tenant_id = u.tenant_id and n.subject_id = u.subject_id and n.internal_id = u.subject_id limit 1) e on true
    where u.tenant_id = ${tenant} and u.state = 'active' and u.subject_id > ${after}::uuid
    order by u.subject_id
    limit ${limit}`;
}

/** Which of these the database has, live or ended. */
export function listKnownSubjects(
  permit: Permit,
  among: readonly string[],
): Statement<{ readonly subjectId: SubjectId }> {
  const { tenant } = tenantScope(permit);
  return sql<{ readonly subjectId: SubjectId }>`
    with known as (
      select subject_id as "subjectId" from muniment.subject
      where tenant_id = ${tenant} and subject_id = any(${among}::uuid[])
    )
    select "subjectId" from known order by "subjectId"`;
}
