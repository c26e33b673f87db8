import { setTimeout as wait } from "node:timers/promises";

/** Waits, or until it is told to stop waiting; keeps no process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
