import type { PrincipalRef, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewReply {
  readonly principal: PrincipalRef;
  readonly keyMac: Uint8Array;
  readonly subject: SubjectId | null;
  readonly requestMac: Uint8Array;
  /** Recognises the request under the tenant's key, when its subject is gone. */
  readonly tombstoneMac: Uint8Array;
  readonly replySealed: Uint8Array;
  readonly expiresAt: Date;
}

/** Keeps the reply for repeats of the same request. Fails with `idempotency_seen` where a live one stands. */
export function insertReply(permit: Permit, reply: NewReply): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    with kept as (
      insert into muniment.idempotency as i
        (tenant_id, principal_ref, operation, key_mac, subject_id, request_mac, tombstone_mac, reply_sealed, created_at,
         expires_at)
      values (${tenant}, ${reply.principal}, ${permit.action}, ${reply.keyMac}, ${reply.subject}, ${reply.requestMac},
        ${reply.tombstoneMac}, ${reply.replySealed}, ${now}, ${reply.expiresAt})
      on conflict (tenant_id, principal_ref, operation, key_mac) do update
      set subject_id = excluded.subject_id, request_mac = excluded.request_mac,
        tombstone_mac = excluded.tombstone_mac, reply_sealed = excluded.reply_sealed,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      where i.expires_at <= excluded.created_at
      returning i.operation
    )
    select muniment.require(exists (select 1 from kept), 'idempotency_seen')`;
}
