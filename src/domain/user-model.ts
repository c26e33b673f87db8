import type { Deriver } from "./deriver.js";
import type { DimensionId, ObservationId, RouteId } from "./ids.js";

/** How what a dimension says has gone, over its observations. */
export type Trajectory = "rising" | "falling" | "stable" | "changed";

/** One sentence of a person's model. Never without observations that it rests on. */
export interface ModelStatement {
  readonly text: string;
  readonly observation_ids: readonly ObservationId[];
  readonly is_safety: boolean;
}

/** What one dimension says of the person, by observations of one route: whoever may not read that route reads none of it. */
export interface ModelSection {
  readonly route_id: RouteId;
  readonly dimension: DimensionId;
  readonly trajectory: Trajectory;
  readonly statements: readonly ModelStatement[];
}

/** The narrative of a person, as it is sealed. */
export interface UserModel {
  readonly sections: readonly ModelSection[];
  /** Statements of the last consolidation that rested on nothing, or had no room. */
  readonly dropped: number;
}

export const EMPTY_MODEL: UserModel = Object.freeze({ sections: [], dropped: 0 });

/** An observation as consolidation sees it. */
export interface ModelObservation {
  readonly id: ObservationId;
  readonly dimension: DimensionId;
  readonly text: string;
  readonly observedAt: Date;
  readonly isSafety: boolean;
  /** The later observation that corrects it. */
  readonly supersededBy: ObservationId | null;
}

/** What a consolidator is given, and what its answer is checked against: observations of one route. */
export interface ConsolidateSource {
  /** What the model says by this route so far. */
  readonly sections: readonly ModelSection[];
  /** Since the last consolidation, oldest first. */
  readonly fresh: readonly ModelObservation[];
  /** What the model rests on, what is about safety, and the newest of each dimension from before; oldest first. */
  readonly earlier: readonly ModelObservation[];
  /** Statements and observations that one question has no room for, beside these. */
  readonly leftOut: number;
}

/** Makes a person's model; of quotes, where no language model is asked. */
export type Consolidator = Deriver<ConsolidateSource>;

/** Ids of all that a model cites, each once. */
export function citedBy(sections: readonly ModelSection[]): readonly ObservationId[] {
  const ids = sections.flatMap(({ statements }) => statements.flatMap((it) => it.observation_ids));
  return [...new Set(ids)];
}

/** Sections with those statements alone that rest on nothing else than what is given. */
export function restingOn(
  sections: readonly ModelSection[],
  standing: ReadonlySet<ObservationId>,
): readonly ModelSection[] {
  return sections.flatMap((section) => {
    const statements = section.statements.filter(({ observation_ids }) =>
      observation_ids.every((id) => standing.has(id)),
    );
    return statements.length === 0 ? [] : [{ ...section, statements }];
  });
}
