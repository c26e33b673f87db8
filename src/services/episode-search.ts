import type { Digest } from "../domain/digest.js";
import { trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Coverage } from "../recall/outcome.js";
import { type Hit, type SearchResult, SubjectIndex } from "../recall/subject-index.js";
import { decodeTerms } from "../recall/terms.js";
import type { EpisodeRow } from "../storage/queries/episode-list.js";
import { digestText, episodePlace, episodeTermsPlace } from "./episode-writing.js";
import { orAlarm } from "./integrity.js";
import { askedOf, quotedBy, type RecallNarrowing, recallFilter } from "./recall-filter.js";
import type { Services } from "./services.js";

export interface FoundEpisode {
  readonly row: EpisodeRow;
  readonly digest: Digest;
  readonly hit: Hit;
}

export interface FoundEpisodes {
  readonly episodes: readonly FoundEpisode[];
  readonly outcome: "matches" | "no_matches";
  readonly coverage: Coverage;
  readonly fallback: SearchResult["fallback"];
}

interface EpisodeSearch {
  readonly permit: Permit;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing;
}

/**
 * Ranks a subject's episodes. There is one a session and route, so they are read whole and indexed for the one search: nothing
 * of them stays in memory.
 */
export function searchEpisodes(
  services: Services,
  { permit, key, asked }: EpisodeSearch,
  rows: readonly EpisodeRow[],
): FoundEpisodes {
  const index = new SubjectIndex();
  for (const row of rows.toReversed()) takeIn(services, index, row, key);
  const says = quotedBy(asked);
  const result = index.search(
    askedOf(asked),
    recallFilter(permit, asked, says === null ? 0 : LIMITS.phraseCandidatesMax),
  );
  const byId = new Map(rows.map((row) => [String(row.episodeId), row]));
  const found = result.hits.flatMap((hit) => {
    const row = byId.get(String(hit.id));
    const digest = row && openEpisode(services, row, key);
    return row && digest && (says?.(digestText(digest)) ?? true) ? [{ row, digest, hit }] : [];
  });
  const episodes = found.slice(0, asked.limit);
  return {
    episodes,
    outcome: episodes.length > 0 ? "matches" : "no_matches",
    coverage: { ...result.coverage, capped: rows.length === LIMITS.episodesSearchedMax },
    fallback: result.fallback,
  };
}

function takeIn(services: Services, index: SubjectIndex, row: EpisodeRow, key: SubjectKey): void {
  const sealed = orAlarm(services.onAlarm, () =>
    key.openTerms(episodeTermsPlace(row.episodeId, row.sessionId), row.termsSealed),
  );
  const terms = sealed === null ? null : decodeTerms(sealed);
  const { sessionId, workspaceId, routeId, observedAt } = row;
  const indexed = {
    id: trustedId<"TurnId">(row.episodeId),
    sessionId,
    workspaceId,
    routeId,
    observedAt,
    seq: row.revision,
    speakerId: null,
    evidenceUntil: row.expiresAt,
  };
  if (terms === null) index.addPending(indexed);
  else index.add({ ...indexed, terms });
}

/** The digest of an episode, or null where it doesn't open in its place. */
export function openEpisode(services: Services, row: EpisodeRow, key: SubjectKey): Digest | null {
  const text = orAlarm(services.onAlarm, () => key.open(episodePlace(row), row.summarySealed));
  return text === null ? null : (JSON.parse(text) as Digest);
}
