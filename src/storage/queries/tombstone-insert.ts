import type { ErasureReason } from "../../domain/erasure.js";
import type { ErasureId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { RequestMac } from "./idempotency-list.js";

/** `ahead` is an item that claimed a time after it was forgotten. */
export const TOMBSTONE_KINDS = ["subject", "item", "ahead", "request"] as const;
export type TombstoneKind = (typeof TOMBSTONE_KINDS)[number];

export interface NewTombstones {
  readonly erasureId: ErasureId;
  readonly reason: ErasureReason;
  readonly kind: TombstoneKind;
  /** HMACs under the tenant's ledger key. */
  readonly itemMacs: readonly Uint8Array[];
  readonly at: Date;
}

/** By what it is recognised when it comes again. The last erasure of an item counts. */
export function insertTombstones(permit: Permit, tombstones: NewTombstones): Statement {
  const { tenant } = subjectScope(permit);
  const { erasureId, reason, kind, itemMacs, at } = tombstones;
  return sql`
    insert into muniment.tombstone as t (tenant_id, kind, item_mac, erasure_id, reason, recorded_at)
    select ${tenant}::uuid, ${kind}::text, made.item_mac, ${erasureId}::uuid, ${reason}::text, ${at}::timestamptz
    from unnest(${itemMacs}::bytea[]) as made(item_mac)
    on conflict (tenant_id, kind, item_mac) do update
    set erasure_id = excluded.erasure_id, reason = excluded.reason, recorded_at = excluded.recorded_at
    where t.recorded_at < excluded.recorded_at`;
}

/** What a line of the ledger knows of requests, where a restored database hasn't their replies. */
export function insertKnownRequests(
  permit: Permit,
  { erasureId, reason, at }: Pick<NewTombstones, "erasureId" | "reason" | "at">,
  requests: readonly RequestMac[],
): Statement {
  const { tenant } = subjectScope(permit);
  const macs = requests.map(({ mac }) => mac);
  const untils = requests.map(({ until }) => until);
  return sql`
    insert into muniment.tombstone (tenant_id, kind, item_mac, erasure_id, reason, recorded_at, expires_at)
    select ${tenant}::uuid, 'request', n.item_mac, ${erasureId}::uuid, ${reason}::text, ${at}::timestamptz, n.expires_at
    from unnest(${macs}::bytea[], ${untils}::timestamptz[]) as n (item_mac, expires_at)
    on conflict (tenant_id, kind, item_mac) do nothing`;
}

/**
 * Requests whose replies go with the subject: until a repeat would have been forgotten anyway, it is recognised and refused.
 * Before the replies go.
 */
export function insertRequestTombstones(
  permit: Permit,
  erasureId: ErasureId,
  reason: ErasureReason,
): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  return sql`
    insert into muniment.tombstone (tenant_id, kind, item_mac, erasure_id, reason, recorded_at, expires_at)
    select i.tenant_id, 'request', i.tombstone_mac, ${erasureId}::uuid, ${reason}::text, ${now}::timestamptz, i.expires_at
    from muniment.idempotency i
    where i.tenant_id = ${tenant} and i.subject_id = ${subject} and i.expires_at > ${now}
      and octet_length(i.tombstone_mac) > 0
    on conflict (tenant_id, kind, item_mac) do update
    set erasure_id = excluded.erasure_id, reason = excluded.reason, recorded_at = excluded.recorded_at,
      expires_at = excluded.expires_at`;
}
