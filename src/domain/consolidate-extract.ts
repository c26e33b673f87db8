import { asSaid } from "./as-said.js";
import type { DimensionId } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { ConsolidateSource } from "./user-model.js";

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
  const all = asSaid([...earlier, ...fresh]);
  const dimensions = [...new Set(all.map(({ now }) => now.dimension))].sort();
  return {
    sections: dimensions.map((dimension) => {
      const newest = all
        .filter(({ now }) => now.dimension === dimension)
        .toSorted((a, b) => b.now.observedAt.getTime() - a.now.observedAt.getTime())
        .slice(0, LIMITS.userModelStatementsMax);
      return {
        dimension,
        statements: newest.map(({ text, cited }) => ({ text, observation_ids: cited })),
      };
    }),
  };
}
