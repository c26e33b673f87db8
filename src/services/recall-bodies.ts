// Bodies of the recalls, of those into a pack too.

export interface RecallTurnsBody {
  readonly query: string;
  /** `phrase`: every word of the query stands there, what it quotes word for word; newest first. `ranked` where absent. */
  readonly mode?: "ranked" | "phrase";
  /** Hits at most, 10 where absent; 0 gives none. */
  readonly limit?: number;
  /** Some of the routes that the pin may read. */
  readonly source_routes?: readonly string[];
  /** Some sessions of the subject, by the ids that hits carry. */
  readonly source_sessions?: readonly string[];
  /** What was said from a time on, until before another. */
  readonly observed_from?: string;
  readonly observed_until?: string;
  /** What turns of a speaker whom the question names count, times the others: 1.6 where absent, 1 for nothing. */
  readonly speaker_weight?: number;
}

export interface RecallObservationsBody extends RecallTurnsBody {
  /** `observations` where absent; `both` is one list, one hit a source. */
  readonly scope?: "observations" | "turns" | "both";
  /** Observations of one dimension alone. */
  readonly dimension?: string;
}

/** What is recalled into a pack. */
export interface PackRecallBody extends RecallTurnsBody {
  /** All where absent. */
  readonly kinds?: readonly ("turn" | "episode" | "observation")[];
  /** Observations of one dimension alone. */
  readonly dimension?: string;
}
