import type { Clock } from "../domain/clock.js";
import type { JobFault } from "../domain/work.js";
import type { Retrieval } from "../services/retrieval.js";
import type { Alarm } from "../storage/store.js";

export interface Hooks {
  readonly clock?: Clock;
  /** A row or a sealed value that isn't where it belongs. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** The policy decision point failed, and the question was denied. */
  readonly onFault?: (cause: unknown) => void;
  /** The application's own way to corpora, in place of a folder. */
  readonly retrieval?: Retrieval;
  /** The embedder didn't answer a recall, and words alone decided it. */
  readonly onEmbedderFault?: (cause: unknown) => void;
  /** A try of a background job came to nothing: it waits for another one, or is parked. */
  readonly onJobFault?: (fault: JobFault) => void;
  /** Told of each network flush to the database. */
  readonly onFlush?: () => void;
}
