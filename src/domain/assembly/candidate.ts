import type {
  DimensionId,
  EpisodeId,
  FieldId,
  ObservationId,
  PromotionId,
  RouteId,
  SessionId,
  TurnId,
} from "../ids.js";
import type { ObservationTier } from "../observation.js";
import type { TurnRole } from "../turn.js";
import type { WorkingClass } from "../working.js";

/** The run's goal, or a class of its working memory. */
export type WorkingKind = "goal" | WorkingClass;

/** Every kind of line in a pack, in the order of the pack: stable first (prompt caches), volatile last. */
export const ITEM_KINDS = [
  "contract",
  "goal",
  "handoff",
  "criterion",
  "artifact",
  "failure",
  "field",
  "preference",
  "structured_state",
  "user_model",
  "current_value",
  "question",
  "slot",
  "note",
  "turn",
  "recalled",
  "episode",
  "observation",
  "scratch",
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export type Layer = "working" | "store" | "evidence" | "episodic" | "derived";

/** One row of the run's working memory, opened. The goal is the run's own, with the key `goal`. */
export interface WorkingCandidate {
  readonly kind: WorkingKind;
  /** Key of the row within its run and kind: a stage id, a number, a scratch reference. Not personal. */
  readonly key: string;
  /** The value as text; structured values as JSON. A scratch row gives its reference, never its body. */
  readonly text: string;
  readonly recordedAt: Date;
}

/** One value of the store that the run's route may read, opened. */
export interface FieldCandidate {
  readonly kind: "field" | "preference";
  readonly fieldId: FieldId;
  /** The decision that wrote it. */
  readonly promotionId: PromotionId;
  readonly version: number;
  readonly text: string;
  /** Whose key it is: the customer's, or this chat's. */
  readonly key: "customer" | "session";
  /** Where the value comes from, and who decided that it is a fact. */
  readonly source: string;
  readonly updatedBy: string;
  readonly updatedAt: Date;
  /** False where its field was defined anew and wouldn't take the value any more. */
  readonly fits: boolean;
}

/** One turn of the session's conversation, opened. */
export interface TurnCandidate {
  readonly turnId: TurnId;
  readonly seq: number;
  readonly role: TurnRole;
  /** What was said; of a tool call its arguments, of a tool result its output. */
  readonly text: string;
  /** Name of the speaker, as it may be shown to a model. */
  readonly speaker?: string;
  /** Ties a tool's result to its call. */
  readonly callId?: string;
  /** Name of the tool that was called. */
  readonly tool?: string;
  readonly observedAt: Date;
}

/** One turn, mostly of another session, that recall found, opened. */
export interface RecalledCandidate {
  readonly turnId: TurnId;
  readonly session: SessionId;
  readonly seq: number;
  readonly role: TurnRole;
  readonly text: string;
  readonly speaker?: string;
  readonly observedAt: Date;
  readonly routeId: RouteId;
  /** Higher is more relevant. */
  readonly score: number;
}

/** One episode that recall found, opened. */
export interface EpisodeCandidate {
  readonly episodeId: EpisodeId;
  readonly routeId: RouteId;
  readonly outcome: string;
  readonly text: string;
  readonly observedAt: Date;
  /** Higher is more relevant. */
  readonly score: number;
}

/** One observation that recall found, opened. */
export interface ObservationCandidate {
  readonly observationId: ObservationId;
  /** Turns that it was made of: never empty. */
  readonly turnIds: readonly TurnId[];
  readonly routeId: RouteId;
  readonly dimension: DimensionId;
  readonly tier: ObservationTier;
  readonly text: string;
  readonly observedAt: Date;
  /** True where a later one corrects it. */
  readonly isSuperseded: boolean;
  /** Higher is more relevant. */
  readonly score: number;
}

/** How far what is derived can be believed: as far as what it was derived from. */
export type DerivedConfidence = "measured" | "reported" | "inferred" | "derived";

/** One part of a view of the person: a section of the model, a list of a projection, a current value. */
export interface DerivedCandidate {
  readonly kind: "structured_state" | "user_model" | "current_value";
  /** Name of the part, such as a dimension or a key. Not personal. */
  readonly name: string;
  /** Ids of the observations or events that it rests on. */
  readonly sources: readonly string[];
  readonly text: string;
  readonly confidence: DerivedConfidence;
  /** `safety`: goes after all else that may be left out. `surplus`: there is no room for it whatever the cap. */
  readonly rank?: "safety" | "surplus";
  /** What else its block is labelled with, such as its route. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly at: Date;
}

/** Everything that may enter a pack: already permitted, read and opened. */
export interface Candidates {
  /** In the order of their rows; any mixture of kinds. */
  readonly working: readonly WorkingCandidate[];
  /** In the order of their names. */
  readonly fields: readonly FieldCandidate[];
  /** In the order of their views. */
  readonly derived: readonly DerivedCandidate[];
  readonly turns: readonly TurnCandidate[];
  readonly recalled: readonly RecalledCandidate[];
  readonly episodes: readonly EpisodeCandidate[];
  readonly observations: readonly ObservationCandidate[];
}
