import type { RouteId, SessionId, TurnId } from "../ids.js";

/** Classes of working memory that are assembled, as they stand in the rows. */
export const WORKING_KINDS = [
  "contract",
  "goal",
  "criterion",
  "artifact",
  "failure",
  "question",
  "slot",
  "note",
  "scratch",
] as const;
export type WorkingKind = (typeof WORKING_KINDS)[number];

/** Every kind of line in a pack, in the order of the pack: stable first, volatile last. */
export const ITEM_KINDS = [
  "contract",
  "goal",
  "criterion",
  "artifact",
  "failure",
  "question",
  "slot",
  "note",
  "turn",
  "recalled",
  "scratch",
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export type Layer = "working" | "evidence";

export const TURN_ROLES = ["user", "assistant", "system", "tool_call", "tool_result"] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

/** One row of the run's working memory, opened. The goal is the run's own, with the key `goal`. */
export interface WorkingCandidate {
  readonly kind: WorkingKind;
  /** Key of the row within its run and kind: a stage id, a sequence number, a scratch reference. Not personal. */
  readonly key: string;
  /** The value as text; structured values as JSON. A scratch row gives its reference, never its body. */
  readonly text: string;
  readonly recordedAt: Date;
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

/** One turn of another session that recall found, opened. */
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

/** Everything that may enter a pack: already permitted, read and opened. */
export interface Candidates {
  /** In the order of their rows; any mixture of kinds. */
  readonly working: readonly WorkingCandidate[];
  /** By ascending `seq`. */
  readonly turns: readonly TurnCandidate[];
  readonly recalled: readonly RecalledCandidate[];
}
