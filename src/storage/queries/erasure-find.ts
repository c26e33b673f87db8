import type { Erasure, ErasureScopeKind } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface ErasureRow extends Erasure {
  readonly tenantId: string;
  readonly state: "open" | "blocked" | "closed";
  readonly blockedAt: Date | null;
  readonly closedAt: Date | null;
  readonly removed: Readonly<Record<string, number>>;
  /** As it was signed; null until the erasure is closed. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

export function findErasure(permit: Permit, erasureId: string): Statement<ErasureRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<ErasureRow>`
      select tenant_id as "tenantId", erasure_id as "erasureId", subject_id as "subjectId", key_id as "keyId",
        subject_mac as "subjectMac", reason, basis, scope, target, state, requested_at as "requestedAt", blocked_at as "blockedAt", closed_at as "closedAt", removed, receipt
      from muniment.erasure
      where tenant_id = ${tenant} and erasure_id = ${erasureId}::uuid
      order by erasure_id
      limit 1`,
  );
}

/** The erasure by which a person was last forgotten, by the HMAC of the external id. */
export function findErasureOfPerson(permit: Permit, personMac: Uint8Array): Statement<ErasureRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<ErasureRow>`
      select e.tenant_id as "tenantId", e.erasure_id as "erasureId", e.subject_id as "subjectId", e.key_id as "keyId",
        e.subject_mac as "subjectMac", e.reason, e.basis, e.scope, e.target, e.state, e.requested_at as "requestedAt", e.blocked_at as "blockedAt",
        e.closed_at as "closedAt", e.removed, e.receipt
      from muniment.tombstone t
      join muniment.erasure e on e.tenant_id = t.tenant_id and e.erasure_id = t.erasure_id
      where t.tenant_id = ${tenant} and t.kind = 'subject' and t.item_mac = ${personMac}
      order by e.erasure_id
      limit 1`,
  );
}

/** Erasures whose rows are gone and which were broken off after that. */
export function listUnfinishedErasures(permit: Permit, limit: number): Statement<ErasureRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<ErasureRow>`
      select tenant_id as "tenantId", erasure_id as "erasureId", subject_id as "subjectId", key_id as "keyId",
        subject_mac as "subjectMac", reason, basis, scope, target, state, requested_at as "requestedAt", blocked_at as "blockedAt", closed_at as "closedAt", removed, receipt
      from muniment.erasure
      where tenant_id = ${tenant} and state <> 'closed'
      order by erasure_id
      limit ${limit}`,
  );
}

/** The last erasure of one thing of the subject: by its internal id, or by the tombstone of the id from outside. */
export function findErasureOfTarget(
  permit: Permit,
  wanted: {
    readonly scope: ErasureScopeKind;
    readonly target: string | null;
    readonly itemMac: Uint8Array | null;
  },
): Statement<ErasureRow> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<ErasureRow>`
      select e.tenant_id as "tenantId", e.erasure_id as "erasureId", e.subject_id as "subjectId", e.key_id as "keyId",
        e.subject_mac as "subjectMac", e.reason, e.basis, e.scope, e.target, e.state, e.requested_at as "requestedAt", e.blocked_at as "blockedAt",
        e.closed_at as "closedAt", e.removed, e.receipt
      from muniment.erasure e
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.scope = ${wanted.scope}
        and (e.target = ${wanted.target}::uuid or exists (
          select 1 from muniment.tombstone t
          where t.tenant_id = ${tenant} and t.kind = 'item' and t.item_mac = ${wanted.itemMac}::bytea and t.erasure_id = e.erasure_id))
      order by e.erasure_id desc
      limit 1`,
  );
}
