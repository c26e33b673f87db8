import type { DimensionDefinition } from "../../domain/dimension.js";
import type { DimensionId, PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface DimensionRow {
  readonly dimensionId: DimensionId;
  readonly version: number;
  readonly definition: DimensionDefinition;
  readonly reason: string;
  readonly recordedAt: Date;
}

/** Latest definition of each of the tenant's own dimensions, by its id; of one alone where it is named. */
export function listDimensions(
  permit: Permit,
  dimensionId: DimensionId | null,
  limit: number,
): Statement<DimensionRow> {
  const { tenant } = tenantScope(permit);
  return sql<DimensionRow>`
    select distinct on (dimension_id) dimension_id as "dimensionId", version, definition, reason, recorded_at as "recordedAt"
    from muniment.dimension
    where tenant_id = ${tenant} and (${dimensionId}::text is null or dimension_id = ${dimensionId}::text)
    order by dimension_id, version desc
    limit ${limit}`;
}

export interface NewDimension {
  readonly definition: DimensionDefinition;
  readonly authorRef: PrincipalRef;
  readonly authorSealed: Uint8Array;
  readonly reason: string;
}

/**
 * A new version of a dimension, right after the latest one. Fails with `version_conflict` where another was first, and with
 * `dimensions_full` where the tenant has as many as there may be.
 */
export function insertDimension(
  permit: Permit<"put_dimension">,
  row: NewDimension,
  dimensionsMax: number,
): Statement {
  const { tenant, now } = tenantScope(permit);
  const { definition } = row;
  return sql`
    with others as (
      select count(distinct d.dimension_id) as dimensions from muniment.dimension d
      where d.tenant_id = ${tenant} and d.dimension_id <> ${definition.dimension_id}
    ), made as (
      insert into muniment.dimension
        (tenant_id, dimension_id, version, definition, author_ref, author_sealed, reason, recorded_at)
      select ${tenant}::uuid, ${definition.dimension_id}::text, ${definition.version}::integer,
        ${JSON.stringify(definition)}::jsonb, ${row.authorRef}::uuid, ${row.authorSealed}::bytea, ${row.reason}::text,
        ${now}::timestamptz
      where ${definition.version}::integer = 1 + coalesce((
        select max(d.version) from muniment.dimension d
        where d.tenant_id = ${tenant} and d.dimension_id = ${definition.dimension_id}), 0)
      on conflict (tenant_id, dimension_id, version) do nothing
      returning version
    )
    select muniment.require((select dimensions from others) < ${dimensionsMax}, 'dimensions_full'),
      muniment.require(exists (select 1 from made), 'version_conflict')`;
}
