import { LIMITS } from "../domain/limits.js";
import { runWork, type WorkOutcome } from "../services/run-work.js";
import type { Services } from "../services/services.js";
import type { Job, Queue } from "./queue.js";

/** How many jobs ended in which way. */
export type JobsReport = Readonly<Record<WorkOutcome, number>>;

/**
 * Works until nothing is due, on some jobs at once. With `early`, jobs that wait for another try are due too. No further
 * job is taken once the signal is aborted.
 */
export async function runDue(
  services: Services,
  queue: Queue,
  { early = false, signal }: { readonly early?: boolean; readonly signal?: AbortSignal } = {},
): Promise<JobsReport> {
  const report = { done: 0, parked: 0, retry: 0, gone: 0 };
  while (signal?.aborted !== true) {
    const jobs = await queue.take(LIMITS.workConcurrency, early);
    if (jobs.length === 0) break;
    const outcomes = await Promise.all(jobs.map((job) => runJob(services, queue, job)));
    for (const outcome of outcomes) report[outcome] += 1;
  }
  return report;
}

async function runJob(services: Services, queue: Queue, job: Job): Promise<WorkOutcome> {
  const outcome = await runWork(services, job.data);
  await (outcome === "retry" ? queue.giveBack(job) : queue.complete(job));
  return outcome;
}
