import type { KeyId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface RotatedRow {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  readonly rotatedAt: Date;
}

/** Live subjects whose key was replaced and whose older keys are still kept, after one of them. */
export function listRotated(
  permit: Permit,
  after: SubjectId | null,
  limit: number,
): Statement<RotatedRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<RotatedRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", key_id as "keyId", key_rotated_at as "rotatedAt"
      from muniment.subject
      where tenant_id = ${tenant} and state = 'active' and key_rotated_at is not null
        and subject_id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
      order by subject_id
      limit ${limit}`,
  );
}

/** When the permit's live subject got its newest key; null where no older one is kept. */
export function readRotation(permit: Permit): Statement<{ readonly rotatedAt: Date | null }> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<{ readonly rotatedAt: Date | null }>`
    select key_rotated_at as "rotatedAt"
    from muniment.subject
    where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
    order by subject_id
    limit 1`;
}

/**
 * Says since when the subject's newest key seals: null once none before it is left. Nothing where the subject has ended, or a
 * later time stands.
 */
export function setRotation(permit: Permit, rotatedAt: Date | null): Statement {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql`
    update muniment.subject
    set key_rotated_at = ${rotatedAt}::timestamptz
    where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      and (${rotatedAt}::timestamptz is null or key_rotated_at is null or key_rotated_at < ${rotatedAt}::timestamptz)`;
}

/** Keeps the subject from ending until the transaction does. Fails with `subject_gone` where it has ended. */
export function requireLive(permit: Permit): Statement {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql`
    with live as (
      select subject_id from muniment.subject
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      for no key update
    )
    select muniment.require(exists (select 1 from live), 'subject_gone')`;
}
