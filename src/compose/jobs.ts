import { openQueue } from "../jobs/queue.js";
import { type JobsReport, looksInto, runDue } from "../jobs/run-due.js";
import type { Services } from "../services/services.js";
import { type IndexReport, tendIndexes } from "../services/tend-indexes.js";

/** Jobs of an application that embeds Muniment: `serve` runs them by itself. */
export interface Jobs {
  /**
   * Runs what is due, and says how it ended. With `early`, also what waits for another try. Then it does for recall what
   * is left to do: segments of long histories and, where there is an embedder, vectors.
   */
  run(options?: { readonly early?: boolean }): Promise<JobsReport & IndexReport>;
}

export function createJobs(services: Services): Jobs {
  const queue = openQueue(services.store.queue);
  const looks = looksInto(queue, services.clock);
  return {
    async run({ early = false } = {}) {
      const report = await runDue(services, queue, { early, looks });
      return { ...report, ...(await tendAll(services)) };
    },
  };
}

/** A step embeds so many turns of a tenant: those after the first one do what it left. */
async function tendAll(services: Services): Promise<IndexReport> {
  let segments = 0;
  let embedded = 0;
  for (;;) {
    const step = await tendIndexes(services);
    segments += step.segments;
    embedded += step.embedded;
    if (step.embedded === 0) return { segments, embedded };
  }
}
