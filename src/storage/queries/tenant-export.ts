import type { FieldDefinition } from "../../domain/field.js";
import type { KeyId, SubjectId } from "../../domain/ids.js";
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

export interface PersonRow {
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  readonly lookup: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Live subjects after one of them, with their sealed external ids. */
export function listPeople(
  permit: Permit<"export_tenant">,
  after: string,
  limit: number,
): Statement<PersonRow> {
  const { tenant } = tenantScope(permit);
  return sql<PersonRow>`
    select u.subject_id as "subjectId", u.key_id as "keyId", e.lookup, e.sealed
    from muniment.subject u
    join muniment.external_id e on e.tenant_id = u.tenant_id and e.subject_id = u.subject_id and e.internal_id = u.subject_id
    where u.tenant_id = ${tenant} and u.state = 'active' and u.subject_id > ${after}::uuid
    order by u.subject_id
    limit ${limit}`;
}
