import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../domain/ids.js";
import type { Terms } from "./terms.js";

/** One turn as the index knows it. */
export interface IndexedTurn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  readonly speakerId: SpeakerId | null;
  readonly observedAt: Date;
  /** End of its life as evidence. Null: it isn't evidence and is never recalled. */
  readonly evidenceUntil: Date | null;
  readonly terms: Terms;
}

/** A turn that can't be searched yet: its terms are of another analyser. */
export type PendingTurn = Pick<IndexedTurn, "id" | "workspaceId" | "routeId" | "evidenceUntil">;

/** What the permit allows. A turn is eligible where its workspace and route are in it and its evidence clock runs. */
export interface RecallFilter {
  readonly workspace: WorkspaceId;
  readonly routes: ReadonlySet<RouteId>;
  /** The sessions and the time that the caller narrows it to; what it leaves out isn't narrowed. */
  readonly sessions?: ReadonlySet<SessionId>;
  readonly observedFrom?: Date;
  readonly observedUntil?: Date;
  readonly now: Date;
  /** Hits at most; 0 gives none. */
  readonly limit: number;
  /** True where the same, said again in the same voice, is no hit of its own. */
  readonly eachOnce?: boolean;
}
