import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { type SubjectScope, tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export type ExternalKind = "subject" | "session" | "speaker" | "source";

export interface NewExternalId {
  readonly kind: ExternalKind;
  readonly lookup: Uint8Array;
  readonly subject: SubjectId;
  readonly internalId: string;
  readonly sealed: Uint8Array;
}

/** The one place of an external id. Fails with `external_id_taken` where another writer was first. */
export function insertExternalId(permit: Permit, id: NewExternalId): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    with made as (
      insert into muniment.external_id (tenant_id, kind, lookup, subject_id, internal_id, sealed)
      values (${tenant}, ${id.kind}, ${id.lookup}, ${id.subject}, ${id.internalId}, ${id.sealed})
      on conflict (tenant_id, kind, lookup) do nothing
      returning internal_id
    )
    select muniment.require(exists (select 1 from made), 'external_id_taken')`;
}

/**
 * The same for several ids of one subject, where it doesn't matter who was first: the row that stands is read by its look-up.
 * Written in the order of their look-ups: two writers that wait for each other's rows would never end.
 */
export function ensureExternalIds(scope: SubjectScope, ids: readonly NewExternalId[]): Statement {
  const { tenant, subject, keyId } = scope;
  const column = <K extends keyof NewExternalId>(name: K) => ids.map((id) => id[name]);
  return sql`
    insert into muniment.external_id (tenant_id, kind, lookup, subject_id, internal_id, sealed)
    select u.tenant_id, n.kind, n.lookup, u.subject_id, n.internal_id, n.sealed
    from muniment.subject u
    cross join unnest(${column("kind")}::text[], ${column("lookup")}::bytea[], ${column("internalId")}::uuid[],
      ${column("sealed")}::bytea[]) as n (kind, lookup, internal_id, sealed)
    where u.tenant_id = ${tenant} and u.subject_id = ${subject} and u.key_id = ${keyId} and u.state = 'active'
    order by n.kind, n.lookup
    on conflict do nothing`;
}
