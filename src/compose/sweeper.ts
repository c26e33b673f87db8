import { LIMITS } from "../domain/limits.js";
import { forgetEnded } from "../services/forget-ended.js";
import { replayLedger } from "../services/replay-ledger.js";
import type { Services } from "../services/services.js";
import { type SweepReport, sweep } from "../services/sweep.js";
import { tendIndexes } from "../services/tend-indexes.js";
import { tendKeys } from "../services/tend-keys.js";

export interface Sweeper {
  /** Ends the timer and waits for a sweep that is under way. */
  stop(): Promise<void>;
}

/**
 * Sweeps now and then, as long as the service runs, finishes erasures and new data keys that were broken off, and tends the indexes
 * of what is left and the tables that it stands in. More often it lets go of people whom another process has erased. What fails is
 * reported, and tried again the next time.
 */
export function startSweeper(
  services: Services,
  tell: {
    readonly done: (report: readonly SweepReport[]) => void;
    readonly failed: (cause: unknown) => void;
  },
): Sweeper {
  let underWay = Promise.resolve();
  const timer = setInterval(() => {
    underWay = underWay
      .then(() => sweep(services))
      .then(tell.done, tell.failed)
      .then(() => replayLedger(services))
      .catch(tell.failed)
      .then(() => tendKeys(services))
      .catch(tell.failed)
      .then(() => tendIndexes(services))
      .catch(tell.failed)
      .then(() => services.store.tend())
      .catch(tell.failed);
  }, LIMITS.sweepMinutes * 60_000);
  timer.unref();
  let forgetting = Promise.resolve();
  const forgetter = setInterval(() => {
    forgetting = forgetting.then(() => forgetEnded(services)).then(() => undefined, tell.failed);
  }, LIMITS.forgetEndedSeconds * 1_000);
  forgetter.unref();
  return {
    async stop() {
      clearInterval(timer);
      clearInterval(forgetter);
      await Promise.all([underWay, forgetting]);
    },
  };
}
