import type { ErasureBasis, HoldScope } from "../../domain/erasure.js";
import type { HoldId, KeyId, PrincipalRef, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface NewHold {
  readonly holdId: HoldId;
  /** HMAC of the external id under the ledger's key. */
  readonly subjectMac: string;
  readonly basis: ErasureBasis;
  readonly scope: HoldScope;
  readonly target: string;
  readonly placedAt: Date;
  /** Who asked; null where the ledger alone still knows of it. */
  readonly placedBy: PrincipalRef | null;
}

export interface HoldRow extends NewHold {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly releasedAt: Date | null;
}

/** One that stands already, as after a restore, stays as it is. */
export function insertHold(permit: Permit, hold: NewHold): Statement {
  const { tenant, subject } = subjectScope(permit);
  const { holdId, subjectMac, basis, scope, target, placedAt, placedBy } = hold;
  return sql`
    insert into muniment.hold
      (tenant_id, subject_id, hold_id, subject_mac, basis, scope, target, placed_at, placed_ref, released_at, released_ref)
    values (${tenant}, ${subject}, ${holdId}, ${subjectMac}, ${basis}, ${scope}, ${target}, ${placedAt}, ${placedBy}, null, null)
    on conflict (tenant_id, subject_id, hold_id) do nothing`;
}

export function releaseHold(
  permit: Permit,
  holdId: HoldId,
  released: { readonly at: Date; readonly by: PrincipalRef | null },
): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    update muniment.hold set released_at = ${released.at}, released_ref = ${released.by}
    where tenant_id = ${tenant} and subject_id = ${subject} and hold_id = ${holdId} and released_at is null`;
}

export function findHold(permit: Permit, holdId: string): Statement<HoldRow> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<HoldRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", hold_id as "holdId", subject_mac as "subjectMac", basis, scope,
        target, placed_at as "placedAt", placed_ref as "placedBy", released_at as "releasedAt"
      from muniment.hold
      where tenant_id = ${tenant} and hold_id = ${holdId}::uuid
      order by hold_id
      limit 1`,
  );
}

/** The hold that covers the same already. */
export function findStandingHold(
  permit: Permit,
  scope: HoldScope,
  target: string,
): Statement<HoldRow> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<HoldRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", hold_id as "holdId", subject_mac as "subjectMac", basis, scope,
        target, placed_at as "placedAt", placed_ref as "placedBy", released_at as "releasedAt"
      from muniment.hold
      where tenant_id = ${tenant} and subject_id = ${subject} and scope = ${scope} and target = ${target} and released_at is null
      order by hold_id
      limit 1`,
  );
}

export interface StandingHold extends HoldRow {
  readonly keyId: KeyId | null;
  /** The person's own id, as it is sealed; null where they aren't there. */
  readonly lookup: Uint8Array | null;
  readonly sealed: Uint8Array | null;
}

/** Holds of the tenant that stand, in the order in which they were placed, with whose they are. */
export function listStandingHolds(
  permit: Permit,
  after: string | null,
  limit: number,
): Statement<StandingHold> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<StandingHold>`
      select h.tenant_id as "tenantId", h.subject_id as "subjectId", h.hold_id as "holdId", h.subject_mac as "subjectMac", h.basis,
        h.scope, h.target, h.placed_at as "placedAt", h.placed_ref as "placedBy", h.released_at as "releasedAt",
        u.key_id as "keyId", x.lookup, x.sealed
      from muniment.hold h
      left join muniment.subject u on u.tenant_id = h.tenant_id and u.subject_id = h.subject_id and u.state = 'active'
      left join muniment.external_id x on x.tenant_id = h.tenant_id and x.subject_id = h.subject_id and x.internal_id = h.subject_id
      where h.tenant_id = ${tenant} and h.released_at is null and (${after}::uuid is null or h.hold_id > ${after}::uuid)
      order by h.hold_id
      limit ${limit}`,
  );
}

/** Nothing that stands covers any of these ids, or the whole person. Null ids are the whole person: any hold covers a part. */
export function requireUnheld(permit: Permit, ids: readonly string[] | null): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    with standing as (
      select hold_id from muniment.hold
      where tenant_id = ${tenant} and subject_id = ${subject} and released_at is null
        and (${ids}::uuid[] is null or scope = 'subject' or target = any(${ids}::uuid[]))
    )
    select muniment.require(not exists (select 1 from standing), 'on_hold')`;
}
