import type { Cues } from "./cues.js";
import type { Deriver } from "./deriver.js";
import type { Dimension } from "./dimension.js";
import type { DimensionId, ObservationId, TurnId } from "./ids.js";
import type { TurnContent, TurnRole } from "./turn.js";

/** `quoted`: the person's own sentence. `generated`: a model's words about it. */
export const OBSERVATION_BASES = ["quoted", "generated"] as const;
export type ObservationBasis = (typeof OBSERVATION_BASES)[number];

/** How far it is believed, never as a fact: the person said it about themselves, or somebody else did. */
export const OBSERVATION_TIERS = ["reported", "inferred"] as const;
export type ObservationTier = (typeof OBSERVATION_TIERS)[number];

/** A place in the text of a turn, in UTF-16 units. */
export interface Quote {
  readonly turn_id: TurnId;
  readonly start: number;
  readonly end: number;
}

/** What is sealed of an observation. */
export interface ObservationBody {
  readonly text: string;
  /** Never empty: where the turns say it. */
  readonly quotes: readonly Quote[];
  /** The person's quoted words, as they are compared: said again word for word it is no news, however it is worded. */
  readonly said?: string;
  /** Model that worded it; null for a quote. */
  readonly model: string | null;
  /** What found it: the name of a model, or the built-in observer with the versions of its cues. */
  readonly made_by?: string;
}

/** Whose words a turn has: the person's that memory is about, or somebody else's. */
export const OBSERVED_SPEAKERS = ["subject", "other"] as const;
export type ObservedSpeaker = (typeof OBSERVED_SPEAKERS)[number];

/** The subject's own are turns without a name, under the subject's id, and under a name of which the application says so. */
export function observedSpeaker(
  { speaker, content }: { readonly speaker: string | null; readonly content: TurnContent },
  subject: string | null,
): ObservedSpeaker {
  const isSubject = speaker === null || speaker === subject || content.speaker_is_subject === true;
  return isSubject ? "subject" : "other";
}

export interface ObservedTurn {
  readonly id: TurnId;
  readonly role: TurnRole;
  readonly speaker: ObservedSpeaker;
  /** Without what it holds of memory that was shown before. */
  readonly text: string;
  readonly observedAt: Date;
}

/** An observation of the same route from before. */
export interface KnownObservation {
  readonly id: ObservationId;
  readonly dimension: DimensionId;
  readonly text: string;
  readonly quotes: readonly Quote[];
  /** Absent where they weren't kept yet. */
  readonly said?: string;
  readonly tier: ObservationTier;
  readonly isSafety: boolean;
  readonly observedAt: Date;
  /** The later observation that corrects it. */
  readonly supersededBy: ObservationId | null;
}

/** What an observer is given, and what its answer is checked against: turns of one session and route. */
export interface ObserveSource {
  readonly dimensions: readonly Dimension[];
  readonly cues: Cues;
  /** Oldest first. */
  readonly turns: readonly ObservedTurn[];
  /** Newest first. */
  readonly known: readonly KnownObservation[];
  /** What the person's model says by observations of this route; null where there is none. */
  readonly model: string | null;
}

/** A statement whose every part was found in the turns. */
export interface Observed {
  readonly dimension: DimensionId;
  readonly text: string;
  readonly basis: ObservationBasis;
  readonly tier: ObservationTier;
  readonly isSafety: boolean;
  readonly turnIds: readonly TurnId[];
  readonly quotes: readonly Quote[];
  /** The person's quoted words, folded, a line each. */
  readonly said: string;
  /** The turn of a person that says it. */
  readonly saidIn: TurnId;
  readonly supersedes: ObservationId | null;
}

/** Which later observation corrects which, of those that are given. */
export function supersessions(
  rows: readonly {
    readonly observationId: ObservationId;
    readonly supersedes: ObservationId | null;
  }[],
): ReadonlyMap<ObservationId, ObservationId> {
  return new Map(
    rows.flatMap(({ observationId, supersedes }) =>
      supersedes === null ? [] : [[supersedes, observationId] as const],
    ),
  );
}

/** Makes observations of turns; by quotes, where no model is asked. */
export type Observer = Deriver<ObserveSource>;
