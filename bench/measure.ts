/** Operations that one system runs before the next one gets its turn. */
export const BLOCK = 50;

/** Something that is measured: one operation of one system. */
export interface Case {
  readonly name: string;
  readonly system: "unit" | "muniment" | "langgraph";
  /** Operations to measure at each number of workers; a slow one may have fewer than others. */
  readonly n: number;
  /** What the operation needs to find, outside of the timing. */
  readonly before?: (worker: number) => Promise<void>;
  readonly run: (worker: number) => Promise<unknown>;
  /** Network round trips so far; null where they aren't counted. */
  readonly trips: (() => number) | null;
}

export interface Timings {
  readonly n: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly perSecond: number;
  /** Of one operation; null where several workers share the counter. */
  readonly roundTrips: number | null;
}

interface Samples {
  readonly times: number[];
  trips: number;
}

/**
 * Measures all cases side by side: each runs a block of 50 operations, then the next one does, until each has its own
 * number of them. So whatever else the machine does meets all of them alike, and no case runs on cold caches.
 */
export async function measureSideBySide(
  cases: readonly Case[],
  workers: number,
): Promise<ReadonlyMap<Case, Timings>> {
  const samples = new Map<Case, Samples>(cases.map((one) => [one, { times: [], trips: 0 }]));
  for (const one of cases) {
    await runBlock(one, workers, Math.min(BLOCK, one.n), { times: [], trips: 0 });
  }
  for (;;) {
    const unfinished = cases.filter((one) => (samples.get(one)?.times.length ?? 0) < one.n);
    if (unfinished.length === 0) break;
    for (const one of unfinished) {
      const into = samples.get(one) ?? { times: [], trips: 0 };
      await runBlock(one, workers, Math.min(BLOCK, one.n - into.times.length), into);
    }
  }
  return new Map([...samples].map(([one, taken]) => [one, summarise(one, taken, workers)]));
}

async function runBlock(one: Case, workers: number, operations: number, into: Samples) {
  let left = operations;
  const work = async (worker: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await one.before?.(worker);
      const trips = one.trips?.() ?? 0;
      const start = performance.now();
      await one.run(worker);
      into.times.push(performance.now() - start);
      into.trips += (one.trips?.() ?? 0) - trips;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}

function summarise(one: Case, { times, trips }: Samples, workers: number): Timings {
  const sorted = times.toSorted((a, b) => a - b);
  const n = sorted.length;
  const at = (share: number) => sorted[Math.min(n - 1, Math.floor(n * share))] ?? Number.NaN;
  const mean = sorted.reduce((sum, time) => sum + time, 0) / n;
  return {
    n,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    // Each worker starts its next operation when the last one ended; what `before` costs isn't the operation's.
    perSecond: (workers * 1_000) / mean,
    roundTrips: workers === 1 && one.trips !== null ? trips / n : null,
  };
}
