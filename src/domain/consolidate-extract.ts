import type { DimensionId } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { ConsolidateSource, ModelObservation } from "./user-model.js";

interface ExtractedSection {
  readonly dimension: DimensionId;
  readonly statements: readonly {
    readonly text: string;
    readonly observation_ids: readonly string[];
  }[];
}

/**
 * The model of a person that needs no language model: of each dimension the newest observations that nothing corrects, quoted,
 * each with what it corrected. Weaker than a narrative, and never wrong about what was said. What is about safety is left to
 * the rules, which put it there anyway.
 */
export function extractModel({ fresh, earlier }: ConsolidateSource): {
  readonly sections: readonly ExtractedSection[];
} {
  const all = [...earlier, ...fresh].filter(({ isSafety }) => !isSafety);
  const before = new Map(
    all.flatMap((it) => (it.supersededBy === null ? [] : [[it.supersededBy, it] as const])),
  );
  const dimensions = [...new Set(all.map(({ dimension }) => dimension))].sort();
  return {
    sections: dimensions.map((dimension) => {
      const own = all.filter((it) => it.dimension === dimension);
      const newest = own
        .filter(({ supersededBy }) => supersededBy === null)
        .toSorted((a, b) => b.observedAt.getTime() - a.observedAt.getTime())
        .slice(0, LIMITS.userModelStatementsMax);
      return {
        dimension,
        statements: newest.map((it) => quoted(it, before.get(it.id))),
      };
    }),
  };
}

function quoted(now: ModelObservation, before: ModelObservation | undefined) {
  return before === undefined
    ? { text: now.text, observation_ids: [now.id] }
    : { text: `${now.text} (before: ${before.text})`, observation_ids: [now.id, before.id] };
}
