import type { KeyId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** A new subject. Its mapping follows in the same transaction and decides a race of two first writers. */
export function insertSubject(permit: Permit, subject: SubjectId, keyId: KeyId): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    insert into muniment.subject (tenant_id, subject_id, key_id, state, revision, purge_revision, created_at)
    values (${tenant}, ${subject}, ${keyId}, 'active', 0, 0, ${now})`;
}
