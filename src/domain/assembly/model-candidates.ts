import type { ModelSection } from "../user-model.js";
import type { DerivedCandidate } from "./candidate.js";

/** A person's model for a pack: a block a section. What is about safety stands first in it. */
export function modelCandidates(
  sections: readonly ModelSection[],
  computedAt: Date,
): readonly DerivedCandidate[] {
  return sections.map(({ route_id, dimension, trajectory, statements }) => ({
    kind: "user_model",
    name: dimension,
    sources: [...new Set(statements.flatMap((it) => it.observation_ids))],
    text: statements.map(({ text }) => `- ${text}`).join("\n"),
    confidence: "derived",
    labels: [
      ["route", route_id],
      ["trajectory", trajectory],
    ],
    at: computedAt,
  }));
}
