import { embedTurns } from "./embed-turns.js";
import { sealSegments } from "./seal-segments.js";
import type { Services } from "./services.js";

/** What the indexes got, over all tenants. */
export interface IndexReport {
  /** Segments that were sealed. */
  readonly segments: number;
  /** Turns that were gone through for their meaning. */
  readonly embedded: number;
}

/**
 * One background step for recall: seals long histories into segments, and gives turns their vectors. Neither waits for the
 * other to work again: throws what failed once both had their turn.
 */
export async function tendIndexes(services: Services): Promise<IndexReport> {
  const [sealed] = await Promise.allSettled([sealSegments(services)]);
  const embedded = await embedTurns(services);
  if (sealed.status === "rejected") throw sealed.reason;
  return {
    segments: sealed.value.reduce((total, { segments }) => total + segments, 0),
    embedded: embedded.reduce((total, { turns }) => total + turns, 0),
  };
}
