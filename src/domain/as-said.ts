import type { ModelObservation } from "./user-model.js";

/** A statement that nobody worded: an observation as it was said, with what it corrected. */
export interface AsSaid {
  readonly now: ModelObservation;
  readonly text: string;
  readonly cited: readonly ModelObservation["id"][];
}

/** Statements of the observations that nothing corrects. What is about safety stands apart from them. */
export function asSaid(observations: readonly ModelObservation[]): readonly AsSaid[] {
  const all = observations.filter(({ isSafety }) => !isSafety);
  const corrected = new Map(all.map((it) => [it.supersededBy, it]));
  return all
    .filter(({ supersededBy }) => supersededBy === null)
    .map((now) => {
      const before = corrected.get(now.id);
      return before === undefined
        ? { now, text: now.text, cited: [now.id] }
        : { now, text: `${now.text} (before: ${before.text})`, cited: [now.id, before.id] };
    });
}
