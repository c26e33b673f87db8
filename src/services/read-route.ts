import { notFound } from "../domain/errors.js";
import { parseRouteId } from "../domain/input.js";
import type { Route } from "../domain/route.js";
import {
  findRoute,
  listRoutes as listRouteRows,
  type RouteRow,
} from "../storage/queries/route-find.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { parseInput } from "./inputs/parse.js";
import { listRoutesInput, readRouteInput } from "./inputs/route.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface RouteView {
  readonly route: Route;
  readonly reason: string;
  readonly created_at: string;
}

export interface ReadRouteReply extends RouteView {
  readonly decision: DecisionReply;
}

/** A route version with its profile; the latest where none is named. Old versions stay readable. */
export function readRoute(
  services: Services,
  caller: Caller,
  id: string,
  query: unknown,
): Promise<ReadRouteReply> {
  return govern(services, caller, "read_route", async (op) => {
    const routeId = parseRouteId(id, "route_id");
    const { version } = parseInput(readRouteInput, query);
    const permit = op.permit({ type: "route", routeId }, {});
    const row = await services.store.transact(permit, async (tx) => {
      const [[found]] = await tx.send([findRoute(permit, routeId, version ?? null)]);
      if (found === undefined) throw notFound();
      await tx.commit([
        op.audit(permit, { reads: [{ kind: "route", ids: [`${routeId}@${found.version}`] }] }),
      ]);
      return found;
    });
    return { ...view(row), decision: op.decision() };
  });
}

export interface ListRoutesReply {
  readonly routes: readonly RouteView[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Latest version of each of the tenant's routes, by id. */
export function listRoutes(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ListRoutesReply> {
  return govern(services, caller, "list_routes", async (op) => {
    const { limit, cursor } = parseInput(listRoutesInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    const after = readCursor(key, caller.principal, ["list_routes"], cursor) ?? "";
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([listRouteRows(permit, after, limit)]);
      await tx.commit([
        op.audit(permit, {
          reads: [{ kind: "route", ids: found.map((row) => `${row.routeId}@${row.version}`) }],
        }),
      ]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      routes: rows.map(view),
      cursor:
        last === undefined
          ? null
          : makeCursor(key, caller.principal, ["list_routes"], last.routeId),
      decision: op.decision(),
    };
  });
}

function view(row: RouteRow): RouteView {
  return { route: row.definition, reason: row.reason, created_at: row.createdAt.toISOString() };
}
