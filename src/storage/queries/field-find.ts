import type { FieldDefinition } from "../../domain/field.js";
import type { FieldId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface FieldRow {
  readonly fieldId: FieldId;
  readonly version: number;
  readonly definition: FieldDefinition;
  readonly reason: string;
  readonly createdAt: Date;
}

/** One version of a field's definition, or its latest where `version` is null. */
export function findField(
  permit: Permit,
  fieldId: FieldId,
  version: number | null,
): Statement<FieldRow> {
  const { tenant } = tenantScope(permit);
  return sql<FieldRow>`
    select field_id as "fieldId", version, definition, reason, created_at as "createdAt"
    from muniment.field
    where tenant_id = ${tenant} and field_id = ${fieldId} and (${version}::integer is null or version = ${version}::integer)
    order by version desc
    limit 1`;
}

/** Latest definition of each field after `afterFieldId`, by its id; only of those that are named, where any are. */
export function listFields(
  permit: Permit,
  names: readonly string[] | null,
  afterFieldId: string,
  limit: number,
): Statement<FieldRow> {
  const { tenant } = tenantScope(permit);
  return sql<FieldRow>`
    select distinct on (field_id) field_id as "fieldId", version, definition, reason, created_at as "createdAt"
    from muniment.field
    where tenant_id = ${tenant} and field_id > ${afterFieldId}
      and (${names}::text[] is null or field_id = any(${names}::text[]))
    order by field_id, version desc
    limit ${limit}`;
}

/** Names of all fields that the tenant has ever defined. */
export function listFieldIds(permit: Permit): Statement<{ readonly fieldId: FieldId }> {
  const { tenant } = tenantScope(permit);
  return sql<{ readonly fieldId: FieldId }>`
    with defined as (select distinct field_id from muniment.field where tenant_id = ${tenant})
    select field_id as "fieldId" from defined order by field_id`;
}
