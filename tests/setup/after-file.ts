import { afterAll } from "vitest";

/** One worker runs many files, one after the other: what is in here is of the file that runs. */
const closers: (() => unknown)[] = [];

/**
 * Closes it after the file that opened it, from wherever it is called. (Of an `afterAll` within a hook or a test Vitest
 * takes no notice.)
 */
export function afterFile(close: () => unknown): void {
  closers.push(close);
}

/** For the setup file. The last one that was opened closes first, and one that fails to close keeps no other open. */
export function closeAfterFile(): void {
  afterAll(async () => {
    const faults: unknown[] = [];
    for (const close of closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, "not everything could be closed");
  });
}
