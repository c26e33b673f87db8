import type { ObservationCandidate } from "./candidate.js";
import { type Line, minute } from "./line.js";

/** What was made of turns: it names them, and is believed no further than who said it. */
export function observationLine(observation: ObservationCandidate): Line {
  const { observationId, turnIds, routeId, dimension, tier, observedAt } = observation;
  const time = minute(observedAt);
  const source = `observation:${observationId.slice(-12)}`;
  return {
    kind: "observation",
    layer: "episodic",
    source: [observationId, ...turnIds],
    label: `${source} ${dimension} ${time}`,
    attributes: [
      ["layer", "episodic"],
      ["source", source],
      ["dimension", dimension],
      ["route", routeId],
      ...(observation.isSuperseded ? [["superseded", "yes"] as const] : []),
      ["confidence", tier],
      ["time", time],
    ],
    text: observation.text.toWellFormed(),
    at: observedAt,
    seq: 0,
  };
}
