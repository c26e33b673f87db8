import type { FieldDefinition } from "../../domain/field.js";
import type { Permit } from "../../domain/permit.js";
import type { Route } from "../../domain/route.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface DefinitionRow<Definition> {
  readonly id: string;
  readonly version: number;
  readonly definition: Definition;
  readonly reason: string;
}

/** Where a page of definitions goes on. */
export interface AfterDefinition {
  readonly id: string;
  readonly version: number;
}

/** Every version of each route, in order. */
export function listRouteVersions(
  permit: Permit<"export_tenant">,
  after: AfterDefinition,
  limit: number,
): Statement<DefinitionRow<Route>> {
  const { tenant } = tenantScope(permit);
  return sql<DefinitionRow<Route>>`
    select route_id as "id", version, definition, reason
    from muniment.route
    where tenant_id = ${tenant} and (route_id, version) > (${after.id}::text, ${after.version}::integer)
    order by route_id, version
    limit ${limit}`;
}

/** Every version of each field, in order. */
export function listFieldVersions(
  permit: Permit<"export_tenant">,
  after: AfterDefinition,
  limit: number,
): Statement<DefinitionRow<FieldDefinition>> {
  const { tenant } = tenantScope(permit);
  return sql<DefinitionRow<FieldDefinition>>`
    select field_id as "id", version, definition, reason
    from muniment.field
    where tenant_id = ${tenant} and (field_id, version) > (${after.id}::text, ${after.version}::integer)
    order by field_id, version
    limit ${limit}`;
}
