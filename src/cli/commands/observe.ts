import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
import type { ListWorkReply } from "../../services/list-work.js";
import type { ObserveSubjectReply } from "../../services/observe-subject.js";
import type { ReadFreshnessReply, SessionFreshnessReply } from "../../services/read-freshness.js";
import { type Client, path } from "../client.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { chatsOf } from "../own-run.js";
import { withClient } from "../service.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

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
  const [work, sessions] = await withClient({ options, role: "operator", io }, async (client) => {
    const made = await queued(client, subject, options);
    const states = await ended(client, made.length > 0 ? made : await underWay(client, subject));
    return [states, await sessionsOf(client, subject)] as const;
  });
  if (options.json) io.out(JSON.stringify({ work, sessions }));
  else show(work, chatsOf(sessions), options, io);
}

async function sessionsOf(client: Client, subject: string) {
  const at = path`/v1/subjects/${subject}/freshness`;
  return (await client.call<ReadFreshnessReply>("GET", at)).sessions;
}

/** Jobs that somebody else asked for, and that are waited for as well. */
async function underWay(client: Client, subject: string): Promise<readonly string[]> {
  const waiting = (await sessionsOf(client, subject)).filter(
    ({ state }) => state === "queued" || state === "running",
  );
  if (waiting.length === 0) return [];
  const { work } = await client.call<ListWorkReply>("GET", "/v1/work?limit=200");
  return work
    .filter(({ kind, state }) => kind === "observe_session" && state !== "done")
    .filter((job) => waiting.some(({ session_id }) => session_id === job.session_id))
    .map(({ work_id }) => work_id);
}

/** Ids of the jobs, asked for until nothing is left out. */
async function queued(client: Client, subject: string, options: ObserveOptions) {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const reply: ObserveSubjectReply = await orMissing(
      client.call<ObserveSubjectReply>("POST", path`/v1/subjects/${subject}/observe`, {
        imported: options.imported ?? false,
        ...(cursor === null ? {} : { cursor }),
      }),
      noSubject(subject, options),
    );
    ids.push(...reply.work_ids);
    if (reply.cursor === null) return ids;
    cursor = reply.cursor;
  }
}

function show(
  work: Awaited<ReturnType<typeof ended>>,
  sessions: ReadFreshnessReply["sessions"],
  options: ObserveOptions,
  io: Io,
): void {
  const rows = sessions.map((one) => [one.session, standingOf(one), String(one.observations)]);
  if (rows.length > 0) io.out(table(["session", "stands", "observations"], rows));
  for (const { work_id, state, problem } of work) {
    if (state !== "done")
      io.err(`job ${shortId(work_id)} is ${state}: ${problem ?? "its turn will come"}`);
  }
  if (work.length === 0) io.err(whyNoJob(sessions));
  if (sessions.some((one) => one.processed_at !== null && one.observations === 0)) io.err(WHY_NONE);
  if (!options.imported && sessions.some((one) => standingOf(one) === NOT_OBSERVED))
    io.err(`${NOT_OBSERVED}: imported (--imported asks for it), or without a word of the person`);
}

function whyNoJob(sessions: ReadFreshnessReply["sessions"]): string {
  const states = sessions.map(({ state }) => state);
  if (states.includes("parked"))
    return "no new job: one is parked (`muniment jobs list --state parked`; `muniment jobs retry` gives it another round)";
  return states.some((state) => state !== null)
    ? "no new job: one is under way (`muniment jobs list` shows it)"
    : "nothing new to observe: no job was needed";
}

const NOT_OBSERVED = "not observed";
const WHY_NONE =
  "no observations: the person said nothing along a dimension (`muniment dimension list`), somebody else spoke (a display name is nobody's until the application says whose: speaker_is_subject, or import --speaks-as), or it was observed elsewhere";

function standingOf({ processed_at, state }: SessionFreshnessReply): string {
  if (state !== null) return state === "parked" ? "parked" : `waits (${state})`;
  return processed_at === null ? NOT_OBSERVED : `observed ${timeOf(processed_at)}`;
}

/** How the jobs stand once none of them is under way, or nobody waits any more. One that failed comes again later: it says why. */
async function ended(client: Client, ids: readonly string[]) {
  for (let look = 1; ; look += 1) {
    const { work } = await client.call<ListWorkReply>("GET", "/v1/work?limit=200");
    const own = work
      .filter(({ work_id }) => ids.includes(work_id))
      .map(({ work_id, state, problem }) => ({ work_id, state, problem }));
    const isOver = own.every(({ state, problem }) => state === "done" || problem !== null);
    if (isOver || look === LOOKS_MAX) return own;
    await wait(PAUSE_MS);
  }
}
