import type { PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface ReplyRow {
  readonly requestMac: Uint8Array;
  readonly replySealed: Uint8Array;
}

/** The live reply that this caller got for this operation and key. */
export function findReply(
  permit: Permit,
  principal: PrincipalRef,
  keyMac: Uint8Array,
): Statement<ReplyRow> {
  const { tenant, now } = tenantScope(permit);
  return sql<ReplyRow>`
    select request_mac as "requestMac", reply_sealed as "replySealed"
    from muniment.idempotency
    where tenant_id = ${tenant} and principal_ref = ${principal} and operation = ${permit.action} and key_mac = ${keyMac}
      and expires_at > ${now}
    order by key_mac
    limit 1`;
}
