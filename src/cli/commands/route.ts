import { Command } from "commander";
import type { PutRouteReply } from "../../services/put-route.js";
import type { ListRoutesReply, RouteView } from "../../services/read-route.js";
import { path } from "../client.js";
import { counted } from "../counted.js";
import { applyDefinition, readDefinitionFiles } from "../definition-files.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { everyPage } from "../pages.js";
import { withClient, withNewClient } from "../service.js";
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
  const files = readDefinitionFiles(at, "route_id");
  await withNewClient({ options, role: "operator", io }, async (client) => {
    for (const file of files) {
      const { route_id, version, changed } = await applyDefinition(file, options.reason, (body) =>
        client.call<PutRouteReply>("PUT", path`/v1/routes/${file.id}`, body),
      );
      const line = `${route_id} v${version} ${changed ? "written" : "unchanged"}`;
      io.out(options.json ? JSON.stringify({ route_id, version, changed }) : line);
    }
  });
}

async function listRoutes(options: TenantOptions, io: Io): Promise<void> {
  const routes = await withClient({ options, role: "operator", io }, (client) =>
    everyPage(client, "/v1/routes", (page: ListRoutesReply) => page.routes),
  );
  if (options.json) {
    for (const route of routes) io.out(JSON.stringify(route));
    return;
  }
  if (routes.length === 0) {
    io.err("no routes yet: muniment route apply <path>");
    return;
  }
  const head = ["route", "keeps", "recalls", "within", "reason"];
  io.out(table(head, routes.map(rowOf)));
}

function rowOf({ route, reason }: RouteView): readonly string[] {
  const { conversation, working, loop, long_term } = route.memory_profile;
  const kept = { conversation, working, loop };
  const keeps = Object.entries(kept).flatMap(([name, mode]) => (mode === "none" ? [] : [name]));
  return [
    `${route.route_id} v${route.version}`,
    keeps.join(" ") || "nothing",
    long_term === "none"
      ? "nothing"
      : [route.route_id, ...route.recall_from].filter(isFirst).join(" "),
    `autonomy ${route.autonomy}, risk ${route.risk}, ${counted(route.tokens_max, "token")}`,
    reason,
  ];
}

function isFirst(value: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(value) === at;
}
