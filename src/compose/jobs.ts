import { openQueue } from "../jobs/queue.js";
import { type JobsReport, runDue } from "../jobs/run-due.js";
import type { Services } from "../services/services.js";

/** Jobs of an application that embeds Muniment: `serve` runs them by itself. */
export interface Jobs {
  /** Runs what is due, and says how it ended. With `early`, also what waits for another try. */
  run(options?: { readonly early?: boolean }): Promise<JobsReport>;
}

export function createJobs(services: Services): Jobs {
  const queue = openQueue(services.store.queue);
  return { run: (options) => runDue(services, queue, options) };
}
