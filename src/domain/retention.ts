import { LIMITS } from "./limits.js";

/**
 * How long each layer is kept. One place for all clocks of a deployment; a run's own idle clock is its profile's `ttl_hours`.
 * What is in the store is kept until it is deleted.
 */
export interface Retention {
  /** Turns as evidence, of tenants that are new. */
  readonly evidenceDays: number;
  /** Episodes, from the moment at which they were recorded. */
  readonly episodeDays: number;
  /** Observations, from the moment at which they were recorded, while the turns that they cite are evidence. */
  readonly observationDays: number;
  /** Traces of runs. */
  readonly traceDays: number;
  /** Records of packs (references, no text), after the pack's validity. */
  readonly packDays: number;
  /** Fields of one session's key, idle. */
  readonly sessionKeyDays: number;
  /** Scratch references. */
  readonly scratchHours: number;
  /** A data key after another took its place: as old as a backup may get that still opens. */
  readonly keyKeepDays: number;
}

export const RETENTION_DEFAULT: Retention = Object.freeze({
  evidenceDays: LIMITS.evidenceDays,
  episodeDays: LIMITS.episodeDays,
  observationDays: LIMITS.observationDays,
  traceDays: LIMITS.traceDays,
  packDays: LIMITS.packDays,
  sessionKeyDays: LIMITS.sessionKeyDays,
  scratchHours: LIMITS.scratchHours,
  keyKeepDays: LIMITS.keyKeepDays,
});
