import { MunimentError } from "./errors.js";
import { fieldPath, invalid, parseAnswered } from "./fields.js";
import { LIMITS } from "./limits.js";
import type { Observed, ObserveSource } from "./observation.js";
import { parseEntry } from "./observation-entry.js";
import { newsBeside, repeats } from "./observation-news.js";
import { inOneGo, type Steps } from "./steps.js";

export interface Observations {
  /** What is news. */
  readonly observed: readonly Observed[];
  /** How many stand in the turns, those that were observed before among them. */
  readonly found: number;
  /** What doesn't stand in the turns, by its place in the answer. */
  readonly dropped: readonly MunimentError[];
}

/**
 * An observer's answer, not believed: each observation has to be found in turns of the source, with a person's words among
 * them. What isn't found, or has no room, is left out and told; what was observed before is left out. Throws `invalid_input`
 * for an answer that hasn't the form at all.
 */
export function parseObservations(value: unknown, source: ObserveSource): Observations {
  return inOneGo(checkObservations(value, source));
}

/** The same, entry by entry. */
export function* checkObservations(value: unknown, source: ObserveSource): Steps<Observations> {
  const { observations } = parseAnswered(value, "", ["observations"]);
  if (!Array.isArray(observations)) throw invalid("observations", "must be a list");
  const asNews = newsBeside(source);
  const observed: Observed[] = [];
  const dropped: MunimentError[] = [];
  for (const [index, entry] of observations.entries()) {
    yield;
    const at = fieldPath("observations", index);
    try {
      if (index >= LIMITS.observationsPerAnswerMax)
        throw invalid(
          at,
          `is beyond the ${LIMITS.observationsPerAnswerMax} that one answer may hold`,
        );
      const one = asNews(parseEntry(entry, source, at));
      if (one !== null && !observed.some((other) => repeats(one, other))) observed.push(one);
    } catch (error) {
      if (!(error instanceof MunimentError)) throw error;
      dropped.push(error);
    }
  }
  return { observed, found: observations.length - dropped.length, dropped };
}
