import type { Dimension } from "../domain/dimension.js";

// Bodies of the operations on dimensions and observation.

export interface PutDimensionBody
  extends Pick<Dimension, "entity" | "type" | "description" | "tags" | "examples"> {
  /** Phrases by which the built-in observer knows it. */
  readonly cues?: readonly string[];
  /** No rewrite may drop it. */
  readonly is_safety?: boolean;
  /** Why it changes; needed from version 2 on. */
  readonly reason?: string;
}

export interface ObserveSubjectBody {
  /** True for what an import brought, too. */
  readonly imported?: boolean;
  /** Of the reply before: where it left off. */
  readonly cursor?: string;
}
