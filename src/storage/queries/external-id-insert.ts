import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
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

/** The same, where it doesn't matter who was first: the row that stands is read by its look-up. */
export function ensureExternalId(permit: Permit, id: NewExternalId): Statement {
  const { tenant } = tenantScope(permit);
  return sql`
    insert into muniment.external_id (tenant_id, kind, lookup, subject_id, internal_id, sealed)
    values (${tenant}, ${id.kind}, ${id.lookup}, ${id.subject}, ${id.internalId}, ${id.sealed})
    on conflict (tenant_id, kind, lookup) do nothing`;
}
