import type { ErasureReason } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { TombstoneKind } from "./tombstone-insert.js";

/** A tombstone as it travels: no content, no id from outside. */
export interface ArchivedTombstone {
  readonly kind: TombstoneKind;
  readonly itemMac: Uint8Array;
  readonly erasureId: string;
  readonly reason: ErasureReason;
  readonly recordedAt: Date;
  readonly expiresAt: Date | null;
}

/** The tenant's tombstones after one of them. */
export function listTombstones(
  permit: Permit<"export_tenant">,
  after: Pick<ArchivedTombstone, "itemMac"> & { readonly kind: string },
  limit: number,
): Statement<ArchivedTombstone> {
  const { tenant, now } = tenantScope(permit);
  return sql<ArchivedTombstone>`
    select kind, item_mac as "itemMac", erasure_id as "erasureId", reason, recorded_at as "recordedAt", expires_at as "expiresAt"
    from muniment.tombstone
    where tenant_id = ${tenant} and (kind, item_mac) > (${after.kind}::text, ${after.itemMac}::bytea)
      and (expires_at is null or expires_at > ${now})
    order by kind, item_mac
    limit ${limit}`;
}

/** Puts tombstones back that aren't there. One that is there stays: an import lifts none. */
export function restoreTombstones(
  permit: Permit<"import_tenant">,
  tombstones: readonly ArchivedTombstone[],
): Statement<{ readonly itemMac: Uint8Array }> {
  const { tenant } = tenantScope(permit);
  const column = <K extends keyof ArchivedTombstone>(name: K) => tombstones.map((it) => it[name]);
  return sql<{ readonly itemMac: Uint8Array }>`
    insert into muniment.tombstone (tenant_id, kind, item_mac, erasure_id, reason, recorded_at, expires_at)
    select ${tenant}::uuid, n.kind, n.item_mac, n.erasure_id, n.reason, n.recorded_at, n.expires_at
    from unnest(${column("kind")}::text[], ${column("itemMac")}::bytea[], ${column("erasureId")}::uuid[],
      ${column("reason")}::text[], ${column("recordedAt")}::timestamptz[], ${column("expiresAt")}::timestamptz[])
      as n (kind, item_mac, erasure_id, reason, recorded_at, expires_at)
    order by n.kind, n.item_mac
    on conflict (tenant_id, kind, item_mac) do nothing
    returning item_mac as "itemMac"`;
}
