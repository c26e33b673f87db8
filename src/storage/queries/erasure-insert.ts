import type { Erasure } from "../../domain/erasure.js";
import type { ErasureId, PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { ErasedReach } from "./erasure-reached.js";

export interface NewErasure extends Omit<Erasure, "subjectId"> {
  /** Who asked; null where the ledger alone still knows of it. */
  readonly requestedBy: PrincipalRef | null;
  /** Rows that went, by table. */
  readonly removed: Readonly<Record<string, number>>;
  /** What went, by ids; null for a whole subject, of which all goes. */
  readonly reached: ErasedReach | null;
}

/** The record of an erasure whose rows go in this transaction. One that is done again after a restore adds nothing. */
export function insertErasure(permit: Permit, erasure: NewErasure): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const { erasureId, keyId, subjectMac, reason, basis, scope, target } = erasure;
  return sql`
    insert into muniment.erasure
      (tenant_id, erasure_id, subject_id, key_id, subject_mac, reason, basis, scope, target, state, requested_ref, 
       requested_at, blocked_at, removed, reached)
    values (${tenant}, ${erasureId}, ${subject}, ${keyId}, ${subjectMac}, ${reason}, ${basis}, ${scope}, ${target}, 'blocked',
      ${erasure.requestedBy}, ${erasure.requestedAt}, ${now}, ${JSON.stringify(erasure.removed)}::jsonb,
      ${erasure.reached === null ? null : JSON.stringify(erasure.reached)}::jsonb)
    on conflict (tenant_id, erasure_id) do nothing`;
}

/** The last word on an erasure: what a search found of it afterwards. */
export function closeErasure(permit: Permit, erasureId: ErasureId, receipt: object): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  return sql`
    update muniment.erasure set state = 'closed', closed_at = ${now}, receipt = ${JSON.stringify(receipt)}::jsonb
    where tenant_id = ${tenant} and erasure_id = ${erasureId} and subject_id = ${subject} and state <> 'closed'`;
}
