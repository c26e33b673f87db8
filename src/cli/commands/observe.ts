import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
import type { ListWorkReply } from "../../services/list-work.js";
import type { ObserveSubjectReply } from "../../services/observe-subject.js";
import { type Client, path } from "../client.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";

interface ObserveOptions extends TenantOptions {
  readonly imported?: true;
}

const PAUSE_MS = 500;
/** Looks at the jobs before they are left to the service: two minutes. */
const LOOKS_MAX = 240;

export function observeCommand(io: Io): Command {
  return withTenant(
    new Command("observe")
      .description("note what a subject's chats say, as far as nobody has, and wait for it")
      .argument("<subject>", "whom they are about")
      .option("--imported", "what an import brought, too"),
  ).action((subject: string, options: ObserveOptions) => observe(subject, options, io));
}

async function observe(subject: string, options: ObserveOptions, io: Io): Promise<void> {
  const states = await withClient({ options, role: "operator", io }, async (client) => {
    const { work_ids } = await orMissing(
      client.call<ObserveSubjectReply>("POST", path`/v1/subjects/${subject}/observe`, {
        imported: options.imported ?? false,
      }),
      noSubject(subject, options),
    );
    return await ended(client, work_ids);
  });
  if (options.json) io.out(JSON.stringify({ work: states }));
  else if (states.length === 0) io.err("nothing is left to observe");
  else for (const { work_id, state } of states) io.out(`${work_id} ${state}`);
}

/** How the jobs stand once none of them is under way, or nobody waits any more. */
async function ended(client: Client, ids: readonly string[]) {
  for (let look = 1; ; look += 1) {
    const { work } = await client.call<ListWorkReply>("GET", "/v1/work?limit=200");
    const own = work
      .filter(({ work_id }) => ids.includes(work_id))
      .map(({ work_id, state, problem }) => ({ work_id, state, problem }));
    const isOver = own.every(({ state }) => state === "done" || state === "parked");
    if (isOver || look === LOOKS_MAX) return own;
    await wait(PAUSE_MS);
  }
}
