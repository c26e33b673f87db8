import type { ObservationId, TurnId } from "../domain/ids.js";
import { supersessions } from "../domain/observation.js";
import { tenseOf } from "../recall/tense.js";
import type { CorrectingObservation } from "../storage/queries/observation-list.js";
import type { FoundTurn } from "./evidence-opening.js";
import type { Found } from "./evidence-search.js";
import {
  asCorrected,
  type FoundObservation,
  type FoundObservations,
  type ObservationSearch,
} from "./observation-search.js";

/** A found turn, with the observation that corrects all that was observed of it; null where something of it stands. */
export interface StandingTurn extends FoundTurn {
  readonly observedAt: Date;
  readonly supersededBy: ObservationId | null;
}

type Correcting = Pick<CorrectingObservation, "observationId" | "supersedes" | "turnIds">;

/** Those whose source isn't shown itself: of one source there is one hit. */
export function observedAlone(
  observed: FoundObservations | null,
  said: Pick<Found, "turns"> | null,
): readonly FoundObservation[] {
  const shown = new Set(said?.turns.map(({ turn }) => turn.row.turnId));
  const all = observed?.observations ?? [];
  return all.filter(({ turnIds }) => turnIds.every((id) => !shown.has(id)));
}

/** Found turns as far as what was observed of them stands: one that stands corrected counts less, like its observation. */
export function standingTurns(
  turns: readonly FoundTurn[],
  rows: readonly Correcting[],
  { permit, asked }: ObservationSearch,
): readonly StandingTurn[] {
  const corrected = correctedTurns(rows);
  const tense = tenseOf(asked.query, permit.scope.now);
  return turns
    .map((found) => {
      const { turnId, observedAt } = found.turn.row;
      const supersededBy = corrected.get(turnId) ?? null;
      const hit = supersededBy === null ? found.hit : asCorrected(found.hit, tense, asked);
      return { ...found, hit, observedAt, supersededBy };
    })
    .sort((a, b) => b.hit.score - a.hit.score);
}

function correctedTurns(rows: readonly Correcting[]): ReadonlyMap<TurnId, ObservationId> {
  const superseded = supersessions(rows);
  const standing = new Set(
    rows.flatMap(({ observationId, turnIds }) => (superseded.has(observationId) ? [] : turnIds)),
  );
  return new Map(
    rows.flatMap(({ observationId, turnIds }) => {
      const by = superseded.get(observationId);
      if (by === undefined) return [];
      return turnIds.filter((id) => !standing.has(id)).map((id) => [id, by] as const);
    }),
  );
}
