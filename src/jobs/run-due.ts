import { setTimeout as wait } from "node:timers/promises";
import { LIMITS } from "../domain/limits.js";
import { runWork, type WorkOutcome } from "../services/run-work.js";
import type { Services } from "../services/services.js";
import type { Job, Queue } from "./queue.js";

/** How many jobs ended in which way. */
export type JobsReport = Readonly<Record<WorkOutcome, number>>;

interface Options {
  readonly early?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Works until nothing is due, on some jobs at once. With `early`, jobs that wait for another try are due too. No further
 * job is taken once the signal is aborted.
 */
export async function runDue(
  services: Services,
  queue: Queue,
  { early = false, signal }: Options = {},
): Promise<JobsReport> {
  const report = { done: 0, parked: 0, retry: 0, gone: 0 };
  const places = new Places();
  try {
    while (signal?.aborted !== true) {
      const full = places.fullTenants();
      const job = places.isFull ? null : await queue.take(early, full);
      if (job !== null)
        places.give(job.data.tenant_id, async () => {
          report[await runJob(services, queue, job)] += 1;
        });
      else if (!places.isEmpty) await places.change();
      // Those that were full may have ended since: then theirs are due too.
      else if (full.length === 0) break;
    }
  } finally {
    await places.end();
  }
  return report;
}

async function runJob(services: Services, queue: Queue, job: Job): Promise<WorkOutcome> {
  const outcome = await runWork(services, job.data);
  await (outcome === "retry" ? queue.giveBack(job) : queue.complete(job));
  return outcome;
}

/** Jobs under way. Each has its place for itself: one that takes long keeps nobody but its own tenant waiting. */
class Places {
  readonly #underWay = new Map<Promise<void>, string>();
  readonly #faults: unknown[] = [];

  get isEmpty(): boolean {
    return this.#underWay.size === 0;
  }

  get isFull(): boolean {
    return this.#underWay.size >= LIMITS.workConcurrency;
  }

  /** Tenants that have as many places as they may. */
  fullTenants(): readonly string[] {
    const tenants = [...this.#underWay.values()];
    const countOf = (tenant: string) => tenants.filter((one) => one === tenant).length;
    return [...new Set(tenants)].filter((one) => countOf(one) >= LIMITS.workPerTenantMax);
  }

  give(tenant: string, work: () => Promise<void>): void {
    const job = work()
      .catch((fault: unknown) => void this.#faults.push(fault))
      .finally(() => this.#underWay.delete(job));
    this.#underWay.set(job, tenant);
  }

  /** Until a job ends, or it is time to look for another one. */
  async change(): Promise<void> {
    const look = new AbortController();
    const pause = wait(LIMITS.workPollMs, undefined, { signal: look.signal, ref: false });
    pause.catch(() => undefined);
    await Promise.race([...this.#underWay.keys(), ...(this.isFull ? [] : [pause])]);
    look.abort();
  }

  /** Until all have ended. Throws the first fault: one job's keeps no other waiting. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay.keys());
    if (this.#faults.length > 0) throw this.#faults[0];
  }
}
