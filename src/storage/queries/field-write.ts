import type { FieldDefinition } from "../../domain/field.js";
import type { PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewField {
  readonly definition: FieldDefinition;
  readonly authorRef: PrincipalRef;
  readonly authorSealed: Uint8Array;
  readonly reason: string;
}

/** A new version of a field's definition, right after the latest one. Fails with `version_conflict` where another was first. */
export function insertField(permit: Permit<"put_field">, row: NewField): Statement {
  const { tenant, now } = tenantScope(permit);
  const { definition } = row;
  return sql`
    with made as (
      insert into muniment.field
        (tenant_id, field_id, version, definition, author_ref, author_sealed, reason, created_at)
      select ${tenant}::uuid, ${definition.field_id}::text, ${definition.version}::integer, ${JSON.stringify(definition)}::jsonb,
        ${row.authorRef}::uuid, ${row.authorSealed}::bytea, ${row.reason}::text, ${now}::timestamptz
      where ${definition.version}::integer = 1 + coalesce((
        select max(f.version) from muniment.field f where f.tenant_id = ${tenant} and f.field_id = ${definition.field_id}), 0)
      on conflict (tenant_id, field_id, version) do nothing
      returning version
    )
    select muniment.require(exists (select 1 from made), 'version_conflict')`;
}
