import type { PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { Route } from "../../domain/route.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewRoute {
  readonly route: Route;
  readonly profileHash: string;
  readonly authorRef: PrincipalRef;
  readonly authorSealed: Uint8Array;
  readonly reason: string;
}

/** A new version of a route row, right after the latest one. Fails with `version_conflict` where another was first. */
export function insertRoute(permit: Permit<"put_route">, row: NewRoute): Statement {
  const { tenant, now } = tenantScope(permit);
  const { route } = row;
  return sql`
    with made as (
      insert into muniment.route
        (tenant_id, route_id, version, definition, profile_hash, author_ref, author_sealed, reason, created_at)
      select ${tenant}::uuid, ${route.route_id}::text, ${route.version}::integer, ${JSON.stringify(route)}::jsonb, ${row.profileHash}::text,
        ${row.authorRef}::uuid, ${row.authorSealed}::bytea, ${row.reason}::text, ${now}::timestamptz
      where ${route.version}::integer = 1 + coalesce((
        select max(r.version) from muniment.route r where r.tenant_id = ${tenant} and r.route_id = ${route.route_id}), 0)
      on conflict (tenant_id, route_id, version) do nothing
      returning version
    )
    select muniment.require(exists (select 1 from made), 'version_conflict')`;
}
