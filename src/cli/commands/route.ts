import { basename } from "node:path";
import { Command } from "commander";
import { MunimentError } from "../../domain/errors.js";
import type { PutRouteReply } from "../../services/put-route.js";
import type { ListRoutesReply, RouteView } from "../../services/read-route.js";
import { type Client, path, query } from "../client.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { type RouteFile, readRouteFiles } from "../route-files.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

interface ApplyOptions extends TenantOptions {
  readonly reason?: string;
}

export function routeCommand(io: Io): Command {
  const apply = withTenant(
    new Command("apply")
      .description("write a route's YAML or JSON file, or each one of a directory")
      .argument("<path>", "file or directory")
      .option("--reason <text>", "why the routes change (the file's name where it isn't given)"),
  ).action((at: string, options: ApplyOptions) => applyRoutes(at, options, io));
  const list = withTenant(
    new Command("list").description("show the latest version of each route"),
  ).action((options: TenantOptions) => listRoutes(options, io));
  return new Command("route")
    .description("write and show routes")
    .addCommand(apply)
    .addCommand(list);
}

async function applyRoutes(at: string, options: ApplyOptions, io: Io): Promise<void> {
  const files = readRouteFiles(at);
  await withClient(options, "operator", async (client) => {
    for (const file of files) {
      const { route_id, version, changed } = await applyRoute(client, file, options.reason);
      const line = `${route_id} v${version} ${changed ? "written" : "unchanged"}`;
      io.out(options.json ? JSON.stringify({ route_id, version, changed }) : line);
    }
  });
}

/** A refusal names the file: of a directory one can't tell otherwise. */
async function applyRoute(
  client: Client,
  { file, routeId, definition }: RouteFile,
  why: string | undefined,
): Promise<PutRouteReply> {
  const reason = why ?? definition.reason ?? `route apply ${basename(file)}`;
  try {
    return await client.call("PUT", path`/v1/routes/${routeId}`, { ...definition, reason });
  } catch (error) {
    if (!(error instanceof MunimentError)) throw error;
    const { kind, message, field, cause } = error;
    throw new MunimentError(kind, `${file}: ${message}`, { ...(field && { field }), cause });
  }
}

async function listRoutes(options: TenantOptions, io: Io): Promise<void> {
  const routes = await withClient(options, "operator", allRoutes);
  if (options.json) {
    for (const route of routes) io.out(JSON.stringify(route));
    return;
  }
  if (routes.length === 0) {
    io.err("no routes yet: muniment route apply <path>");
    return;
  }
  const head = ["route", "version", "autonomy", "risk", "keeps", "recalls", "tokens", "reason"];
  io.out(table(head, routes.map(rowOf)));
}

async function allRoutes(client: Client): Promise<readonly RouteView[]> {
  const routes: RouteView[] = [];
  let cursor: string | undefined;
  do {
    const page: ListRoutesReply = await client.call("GET", `/v1/routes${query({ cursor })}`);
    routes.push(...page.routes);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return routes;
}

function rowOf({ route, reason }: RouteView): readonly string[] {
  const { conversation, working, loop, long_term } = route.memory_profile;
  const kept = { conversation, working, loop };
  const keeps = Object.entries(kept).flatMap(([name, mode]) => (mode === "none" ? [] : [name]));
  return [
    route.route_id,
    String(route.version),
    String(route.autonomy),
    route.risk,
    keeps.join(" ") || "nothing",
    long_term === "none"
      ? "nothing"
      : [route.route_id, ...route.recall_from].filter(isFirst).join(" "),
    String(route.tokens_max),
    reason,
  ];
}

function isFirst(value: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(value) === at;
}
