import type { RouteId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { Route } from "../../domain/route.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface RouteRow {
  readonly routeId: RouteId;
  readonly version: number;
  readonly definition: Route;
  readonly profileHash: string;
  readonly reason: string;
  readonly createdAt: Date;
}

/** One version of a route, or its latest where `version` is null. */
export function findRoute(
  permit: Permit,
  routeId: RouteId,
  version: number | null,
): Statement<RouteRow> {
  const { tenant } = tenantScope(permit);
  return sql<RouteRow>`
    select route_id as "routeId", version, definition, profile_hash as "profileHash", reason,
      created_at as "createdAt"
    from muniment.route
    where tenant_id = ${tenant} and route_id = ${routeId} and (${version}::integer is null or version = ${version}::integer)
    order by version desc
    limit 1`;
}

/** Latest version of each route after `afterRouteId`, by route id. */
export function listRoutes(
  permit: Permit,
  afterRouteId: string,
  limit: number,
): Statement<RouteRow> {
  const { tenant } = tenantScope(permit);
  return sql<RouteRow>`
    select distinct on (route_id) route_id as "routeId", version, definition, profile_hash as "profileHash", reason,
      created_at as "createdAt"
    from muniment.route
    where tenant_id = ${tenant} and route_id > ${afterRouteId}
    order by route_id, version desc
    limit ${limit}`;
}
