import { Command } from "commander";
import { WORK_STATES } from "../../domain/work.js";
import type { ListWorkReply, RetryWorkReply } from "../../services/list-work.js";
import { advised } from "../advice.js";
import { idByEnd } from "../by-end.js";
import { type Client, path } from "../client.js";
import { commandLine } from "../command-line.js";
import type { Io } from "../io.js";
import { noJob, orMissing } from "../missing.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

export function jobsCommand(io: Io): Command {
  return new Command("jobs")
    .description("show a tenant's jobs and revive parked ones")
    .addCommand(listCommand(io))
    .addCommand(retryCommand(io));
}

interface ListOptions extends TenantOptions {
  readonly state?: string;
}

function listCommand(io: Io): Command {
  return withTenant(
    new Command("list")
      .description("the newest jobs: what they do, how they stand, what parked them")
      .addOption(oneOf("--state <state>", "only jobs that stand so", WORK_STATES)),
  ).action(async ({ state, ...options }: ListOptions) => {
    const query = state === undefined ? "" : `?state=${state}`;
    const reply = await withClient({ options, role: "operator", io }, (client) =>
      client.call<ListWorkReply>("GET", `/v1/work${query}`),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else show(reply, io);
  });
}

function retryCommand(io: Io): Command {
  return withTenant(
    new Command("retry")
      .description("give a parked job another round of tries")
      .argument("<job>", "its id"),
  ).action(async (job: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "operator", io }, async (client) => {
      const id = await idByEnd(job, () => workIds(client));
      return advised(
        orMissing(client.call<RetryWorkReply>("POST", path`/v1/work/${id}/retry`), noJob(options)),
        "version_conflict",
        `see how it stands: ${commandLine(["jobs", "list"], options)}`,
      );
    });
    if (options.json) io.out(JSON.stringify(reply));
    else io.out(`job ${shortId(reply.work_id)} is ${reply.state}`);
  });
}

/** The newest jobs, and before them those that are parked, however old. */
async function workIds(client: Client): Promise<readonly string[]> {
  const parked = await client.call<ListWorkReply>("GET", "/v1/work?state=parked&limit=200");
  const newest = await client.call<ListWorkReply>("GET", "/v1/work?limit=200");
  return [...parked.work, ...newest.work].map(({ work_id }) => work_id);
}

function show({ work }: ListWorkReply, io: Io): void {
  if (work.length === 0) {
    io.err("no jobs");
    return;
  }
  const rows = work.map(({ work_id, kind, state, attempts, problem, changed_at }) => [
    shortId(work_id),
    kind,
    state,
    String(attempts),
    timeOf(changed_at),
    problem ?? "",
  ]);
  io.out(table(["job", "kind", "state", "tries", "changed", "problem"], rows));
}
