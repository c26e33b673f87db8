import { hoursAfter } from "./clock.js";

/** By what an observation ends. */
export interface ObservationClock {
  /** When the newest turn that it quotes came here: turns that are observed again make it no younger. */
  readonly saidAt: Date;
  /** When the first of the turns that it cites stops being evidence. */
  readonly evidenceUntil: Date;
}

/**
 * When an observation ends: by its own clock, or with the first turn that it cites. One that takes back a danger is kept as long
 * as that, while its turns are evidence: a danger is never ended by its denial, and mustn't come back where that ends first.
 */
export function endOfObservation(
  { saidAt, evidenceUntil }: ObservationClock,
  days: number,
  dangerUntil: Date | undefined,
): Date {
  const ownEnd = hoursAfter(saidAt, days * 24);
  const wanted = dangerUntil !== undefined && dangerUntil > ownEnd ? dangerUntil : ownEnd;
  return evidenceUntil < wanted ? evidenceUntil : wanted;
}
