import type { ModelObservation, Trajectory } from "./user-model.js";

/** Fewer tell no direction. */
const TELLING_MIN = 4;

/**
 * How a dimension has gone, by its observations: changed where one corrects another, else by how many fall into the later half
 * of the time that they span.
 */
export function trajectoryOf(observations: readonly ModelObservation[]): Trajectory {
  if (observations.some(({ supersededBy }) => supersededBy !== null)) return "changed";
  const times = observations.map(({ observedAt }) => observedAt.getTime());
  const first = Math.min(...times);
  const last = Math.max(...times);
  if (times.length < TELLING_MIN || first === last) return "stable";
  const later = times.filter((time) => time > (first + last) / 2).length;
  const earlier = times.length - later;
  if (later >= 2 * earlier) return "rising";
  return earlier >= 2 * later ? "falling" : "stable";
}
