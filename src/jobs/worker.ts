import { LIMITS } from "../domain/limits.js";
import type { Services } from "../services/services.js";
import { pause } from "./pause.js";
import type { Queue } from "./queue.js";
import { type JobsReport, looksInto, runDue } from "./run-due.js";

export interface Worker {
  /** Takes no further job and waits for those under way. */
  stop(): Promise<void>;
}

interface Tell {
  readonly done: (report: JobsReport) => void;
  readonly failed: (cause: unknown) => void;
}

/** Works as long as the service runs. What fails here is reported, and the next look tries again. */
export function startWorker(services: Services, queue: Queue, tell: Tell): Worker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const looks = looksInto(queue, services.clock);
  const underWay = (async () => {
    while (!signal.aborted) {
      try {
        const report = await runDue(services, queue, { signal, looks });
        if (Object.values(report).some((count) => count > 0)) tell.done(report);
      } catch (error) {
        tell.failed(error);
      }
      await pause(LIMITS.workPollMs, signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await underWay;
    },
  };
}
