import type { ErasureReason } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { TombstoneKind } from "./tombstone-insert.js";

export interface TombstoneRow {
  readonly kind: TombstoneKind;
  readonly itemMac: Uint8Array;
  readonly reason: ErasureReason;
  readonly recordedAt: Date;
}

/** Which of these persons, or items, were forgotten, when and why. */
export function findTombstones(
  permit: Permit,
  of: "subject" | "item",
  itemMacs: readonly Uint8Array[],
): Statement<TombstoneRow> {
  const { tenant, now } = tenantScope(permit);
  const kinds: readonly TombstoneKind[] = of === "item" ? ["item", "ahead"] : ["subject"];
  return sql<TombstoneRow>`
    select kind, item_mac as "itemMac", reason, recorded_at as "recordedAt"
    from muniment.tombstone
    where tenant_id = ${tenant} and kind = any(${kinds}::text[]) and item_mac = any(${itemMacs}::bytea[])
      and (expires_at is null or expires_at > ${now})
    order by kind, item_mac
    limit ${itemMacs.length * kinds.length}`;
}

/**
 * Stops a source that was forgotten from being said again, where the reason forbids it: `mayReturn` as a statement.
 */
export function requireUnforgotten(
  permit: Permit,
  items: readonly { readonly mac: Uint8Array; readonly observedAt: Date }[],
): Statement {
  const { tenant } = tenantScope(permit);
  const macs = items.map(({ mac }) => mac);
  const observed = items.map(({ observedAt }) => observedAt);
  return sql`
    with forgotten as (
      select t.item_mac from muniment.tombstone t
      join unnest(${macs}::bytea[], ${observed}::timestamptz[]) as n (item_mac, observed_at) on n.item_mac = t.item_mac
      where t.tenant_id = ${tenant} and t.kind in ('item', 'ahead')
        and (t.kind = 'ahead' or t.reason in ('correct', 'retract') or (t.reason = 'erase' and t.recorded_at >= n.observed_at))
    )
    select muniment.require(not exists (select 1 from forgotten), 'item_erased')`;
}

/** Stops what doesn't say when it is from, and so may be from before its person was forgotten. */
export function requireUnerasedPerson(permit: Permit, person: Uint8Array): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    with forgotten as (
      select item_mac from muniment.tombstone
      where tenant_id = ${tenant} and kind = 'subject' and item_mac = ${person} and reason = 'erase'
    )
    select muniment.require(not exists (select 1 from forgotten), 'person_erased')`;
}

/** Stops a request whose reply was erased with its subject: nothing is made for it again. */
export function requireUnerasedRequest(permit: Permit, requestMac: Uint8Array): Statement {
  const { tenant, now } = tenantScope(permit);
  return sql`
    with known as (
      select item_mac from muniment.tombstone
      where tenant_id = ${tenant} and kind = 'request' and item_mac = ${requestMac} and expires_at > ${now}
    )
    select muniment.require(not exists (select 1 from known), 'request_erased')`;
}
