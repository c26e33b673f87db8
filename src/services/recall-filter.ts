import type { RouteId, SessionId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { RecallFilter } from "../recall/indexed-turn.js";
import { quotedIn, type SaysQuoted } from "../recall/quoted.js";
import { type Asked, type RecallMode, SPEAKER_WEIGHT } from "../recall/rank.js";
import type { Vector } from "../recall/vector.js";
import { subjectScope } from "../storage/scope.js";

/** How a recall is narrowed. INVARIANT: it only ever takes away from what the permit reaches. */
export interface RecallNarrowing {
  readonly query: string;
  readonly mode: RecallMode;
  readonly limit: number;
  readonly source_routes?: readonly RouteId[] | undefined;
  readonly source_sessions?: readonly SessionId[] | undefined;
  readonly observed_from?: Date | undefined;
  readonly observed_until?: Date | undefined;
  readonly speaker_weight?: number | undefined;
}

/** What is asked of an index. */
export function askedOf(
  { query, mode, speaker_weight }: RecallNarrowing,
  meaning: Vector | null = null,
): Asked {
  return { question: query, mode, speakerWeight: speaker_weight ?? SPEAKER_WEIGHT, meaning };
}

/** What a hit's text must say beside having its words: what the question quotes, where plain words are asked for. */
export function quotedBy({ query, mode }: RecallNarrowing): SaysQuoted | null {
  return mode === "phrase" ? quotedIn(query) : null;
}

/** `spare`: hits beyond those asked for, where some may fall away afterwards. */
export function recallFilter(permit: Permit, narrowing: RecallNarrowing, spare = 0): RecallFilter {
  const { workspace, recallFrom, now } = subjectScope(permit);
  const { limit, source_routes, source_sessions, observed_from, observed_until } = narrowing;
  const routes = recallFrom.filter((route) => source_routes?.includes(route) ?? true);
  return {
    workspace,
    routes: new Set(routes),
    now,
    limit: limit === 0 ? 0 : Math.min(limit + spare, LIMITS.recallHitsMax + spare),
    ...(source_sessions === undefined ? {} : { sessions: new Set(source_sessions) }),
    ...(observed_from === undefined ? {} : { observedFrom: observed_from }),
    ...(observed_until === undefined ? {} : { observedUntil: observed_until }),
  };
}
