import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../domain/ids.js";
import type { Coverage } from "./outcome.js";
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

/** What the permit allows. A turn is eligible where its workspace and route are in it and its evidence clock runs. */
export interface RecallFilter {
  readonly workspace: WorkspaceId;
  readonly routes: ReadonlySet<RouteId>;
  readonly now: Date;
  /** Hits at most; 0 gives none. */
  readonly limit: number;
}

export interface Hit {
  readonly id: TurnId;
  /** Comparable within one search only. */
  readonly score: number;
  /** What the score is made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Eligible turns that matched; more than `hits` where the limit cut them. */
  readonly matched: number;
  readonly coverage: Coverage;
  /** "recent": the question had nothing to match by, so the hits are the newest eligible turns. */
  readonly fallback: "recent" | null;
}

/**
 * The search index of one subject, in memory.
 * INVARIANT: a search over it equals a search over an index that never held anything but the eligible turns.
 */
export class SubjectIndex {
  /** `subject.revision` up to which rows were taken in. Set by whoever catches the index up. */
  revision = 0;

  /** Turns in the index. */
  get size(): number {
    return 0;
  }

  /** Estimate of the memory that it holds. */
  get bytes(): number {
    return 0;
  }

  /** Takes a turn in; one with a known id replaces the older. */
  add(_turn: IndexedTurn): void {}

  /** True where it was there. */
  remove(_id: TurnId): boolean {
    return false;
  }

  search(_query: Terms, _filter: RecallFilter): SearchResult {
    return { hits: [], matched: 0, coverage: { searched: 0, of: 0, capped: false, pending: 0 }, fallback: null };
  }
}
