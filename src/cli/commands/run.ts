import { Command } from "commander";
import type { ReadRunReply } from "../../services/read-run.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { noRoute, noRun, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import type { StartedRun } from "../started-run.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

interface StartOptions extends TenantOptions {
  readonly subject: string;
  readonly session: string;
  readonly route: string;
  readonly goal: string;
}

export function runCommand(io: Io): Command {
  const start = withTenant(
    new Command("start")
      .description("pin a route to a new run of a session")
      .requiredOption("--subject <id>", "whose memory it is about")
      .requiredOption("--session <id>", "chat that the run belongs to")
      .requiredOption("--route <id>", "route to pin")
      .requiredOption("--goal <text>", "what the run is for"),
  ).action((options: StartOptions) => startRun(options, io));
  const read = withTenant(
    new Command("read")
      .description("show a run: state, slots, notes")
      .argument("<run>", "id of the run"),
  ).action((run: string, options: TenantOptions) => readRun(run, options, io));
  return new Command("run").description("start and show runs").addCommand(start).addCommand(read);
}

async function startRun(options: StartOptions, io: Io): Promise<void> {
  const { subject, session, route, goal, json } = options;
  const at = path`/v1/subjects/${subject}/sessions/${session}/runs`;
  const started = await withClient({ options, role: "app", io }, (client) =>
    orMissing(
      client.call<StartedRun>("POST", at, { route_id: route, goal }),
      noRoute(route, options),
    ),
  );
  io.out(json ? JSON.stringify(started) : started.run_id);
}

async function readRun(run: string, options: TenantOptions, io: Io): Promise<void> {
  const view = await withClient({ options, role: "app", io }, (client) =>
    orMissing(client.call<ReadRunReply>("GET", path`/v1/runs/${run}`), noRun(options)),
  );
  if (options.json) {
    io.out(JSON.stringify(view));
    return;
  }
  const slots = Object.entries(view.slots).map(([stage, value]) => [`slot ${stage}`, shown(value)]);
  const notes = view.notes.map((note) => ["note", shown(note)]);
  const others = view.working.map(({ class: kind, value }) => [kind, shown(value)]);
  io.out(
    table(
      ["run", view.run_id],
      [
        ["route", `${view.route_id} v${view.route_version}`],
        ["state", view.failure_code === null ? view.state : `${view.state}: ${view.failure_code}`],
        ["goal", view.goal ?? "expired"],
        ["resumes at stage", String(view.resume_index)],
        ["expires", timeOf(view.expires_at)],
        ...slots,
        ...notes,
        ...others,
      ],
    ),
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
