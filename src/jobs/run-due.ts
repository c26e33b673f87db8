import type { Clock } from "../domain/clock.js";
import { runWork, type WorkEnd, type WorkOutcome } from "../services/run-work.js";
import type { Services } from "../services/services.js";
import { askingAway } from "./asking-away.js";
import { type Place, Places } from "./places.js";
import type { Job, Queue } from "./queue.js";
import { Tidying } from "./tidying.js";
import { Turns } from "./turns.js";
import { Unanswered } from "./unanswered.js";

/** How many jobs ended in which way. */
export type JobsReport = Readonly<Record<WorkOutcome, number>>;

/** What looks into one queue know from each other. */
export interface Looks {
  readonly unanswered: Unanswered;
  readonly tidying: Tidying;
  readonly turns: Turns;
}

export function looksInto(queue: Queue, clock: Clock): Looks {
  return {
    unanswered: new Unanswered(clock),
    tidying: new Tidying(queue, clock),
    turns: new Turns(),
  };
}

interface Options {
  readonly early?: boolean;
  readonly signal?: AbortSignal;
  readonly looks?: Looks;
}

/**
 * Works until nothing is due, on some jobs at once. With `early`, jobs that wait for another try are due too. No further
 * job is taken once the signal is aborted.
 */
export async function runDue(
  services: Services,
  queue: Queue,
  { early = false, signal, looks = looksInto(queue, services.clock) }: Options = {},
): Promise<JobsReport> {
  const report = { done: 0, parked: 0, retry: 0, gone: 0 };
  const places = new Places(looks.unanswered);
  try {
    while (signal?.aborted !== true) {
      await looks.tidying.whenDue();
      const wasIdle = places.isEmpty;
      const tenants = { full: places.fullTenants(), served: looks.turns.served };
      const job = places.isFull ? null : await queue.take(early, tenants);
      if (job !== null) {
        looks.turns.note(job.data.tenant_id);
        places.give(job.data.tenant_id, async (place) => {
          report[await runJob(services, queue, job, place)] += 1;
        });
      } else if (!places.isEmpty) await places.change();
      // What ended while the queue was asked may have left more to do.
      else if (wasIdle) break;
    }
  } finally {
    await places.end();
  }
  return report;
}

async function runJob(
  services: Services,
  queue: Queue,
  job: Job,
  place: Place,
): Promise<WorkOutcome> {
  let held = job;
  const asking = askingAway(services, place, async () => {
    held = await queue.keep(held);
  });
  const end = await runWork(asking, job.data);
  await endJob(queue, held, end);
  if (end.next !== undefined) await queue.call(end.next);
  return end.outcome;
}

async function endJob(
  queue: Queue,
  job: Job,
  { outcome, pauseSeconds, isBehind = false }: WorkEnd,
): Promise<void> {
  if (pauseSeconds === undefined)
    return outcome === "retry" ? await queue.giveBack(job) : await queue.complete(job);
  return isBehind
    ? await queue.putBehind(job, pauseSeconds)
    : await queue.putOff(job, pauseSeconds);
}
