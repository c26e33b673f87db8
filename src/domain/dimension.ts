import type { DimensionId } from "./ids.js";

/** Three conversations, each as the person's words, that show what a dimension takes and what it leaves alone. */
export const DIMENSION_EXAMPLES = ["preference", "correction", "nothing"] as const;
export type DimensionExample = (typeof DIMENSION_EXAMPLES)[number];

/** One kind of what is observed of a person: of behaviour, never of facts that a system of record holds. */
export interface Dimension {
  readonly dimension_id: DimensionId;
  readonly entity: "person";
  readonly type: "string";
  readonly description: string;
  readonly tags: readonly ["memory_extraction"];
  /** Phrases by which the built-in observer knows it. Empty: a model alone observes it. */
  readonly cues: readonly string[];
  /** What it observes can't be dropped by a rewrite. */
  readonly is_safety: boolean;
  readonly examples: Readonly<Record<DimensionExample, string>>;
}

/** A dimension of a tenant. Immutable: a change is a new version. */
export interface DimensionDefinition extends Dimension {
  readonly version: number;
}
