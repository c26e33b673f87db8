import type { Digest } from "../domain/digest.js";
import { type EpisodeId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Coverage } from "../recall/outcome.js";
import type { Hit, SearchResult } from "../recall/search-result.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import { findEpisodes } from "../storage/queries/episode-find.js";
import type { EpisodeRow } from "../storage/queries/episode-list.js";
import type { EpisodeTermsRow } from "../storage/queries/episode-list-terms.js";
import { type SubjectRevision, shareSubject } from "../storage/queries/subject-read.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { EPISODES } from "./episode-index.js";
import { digestText, episodePlace } from "./episode-writing.js";
import { orAlarm } from "./integrity.js";
import { catchUp, guessIndex } from "./kept-index.js";
import type { RowsByName } from "./named-statements.js";
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

export interface EpisodeSearch {
  readonly permit: Permit;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing;
}

/** A search under way: its statements go along with the caller's own, and it ends with what they answered. */
export interface EpisodeSearching {
  readonly statements: EpisodeStatements;
  readonly end: (answers: RowsByName<EpisodeStatements>) => Promise<FoundEpisodes>;
}

/** Names under which they stand beside those of a caller. */
type EpisodeStatements = {
  readonly standing: Statement<SubjectRevision> | null;
  readonly newerEpisodes: Statement<EpisodeTermsRow> | null;
  readonly bestEpisodes: Statement<EpisodeRow> | null;
};

/** Where none are searched. */
export const NO_EPISODES: EpisodeStatements = {
  standing: null,
  newerEpisodes: null,
  bestEpisodes: null,
};

/**
 * Searches the subject's episodes, inside the permit's workspace and routes. What a warm index ranks best is fetched
 * together with what it lacks, and ranked again where there is any; a cold one is filled first.
 */
export async function beginEpisodeSearch(
  services: Services,
  tx: Transaction,
  search: EpisodeSearch,
): Promise<EpisodeSearching> {
  const { permit, key } = search;
  const reading = { services, tx, permit, key };
  const kept = await guessIndex(reading, EPISODES);
  const guess = rankEpisodes(kept, search);
  return {
    statements: {
      standing: shareSubject(permit),
      newerEpisodes: EPISODES.listNewer(permit, kept.revision, EPISODES.rowsMax),
      bestEpisodes: findEpisodes(permit, idsOf(guess)),
    },
    async end({ standing: [subject], newerEpisodes, bestEpisodes }) {
      const newer = { subject, rows: newerEpisodes };
      const { index, isAsGuessed } = await catchUp(reading, EPISODES, kept, newer);
      const result = isAsGuessed ? guess : rankEpisodes(index, search);
      const rows = isAsGuessed
        ? bestEpisodes
        : (await tx.send([findEpisodes(permit, idsOf(result))]))[0];
      return foundOf(services, search, index, result, rows);
    },
  };
}

/** What is shown of a result, opened. */
export function foundOf(
  services: Services,
  search: EpisodeSearch,
  index: SubjectIndex,
  result: SearchResult,
  rows: readonly EpisodeRow[],
): FoundEpisodes {
  const found = open(services, search, result, rows);
  return {
    episodes: found,
    outcome: found.length > 0 ? "matches" : "no_matches",
    coverage: { ...result.coverage, capped: result.coverage.capped || index.truncated },
    fallback: result.fallback,
  };
}

export function rankEpisodes(index: SubjectIndex, { permit, asked }: EpisodeSearch): SearchResult {
  const spare = quotedBy(asked) === null ? 0 : LIMITS.phraseCandidatesMax;
  return index.search(askedOf(asked), recallFilter(permit, asked, spare));
}

export function idsOf({ hits }: SearchResult): readonly EpisodeId[] {
  return hits.map(({ id }) => trustedId<"EpisodeId">(id));
}

/** Opens what is shown, in the order of its rank. A row that the statement didn't give back isn't shown. */
function open(
  services: Services,
  { key, asked }: EpisodeSearch,
  { hits }: SearchResult,
  rows: readonly EpisodeRow[],
): readonly FoundEpisode[] {
  const says = quotedBy(asked);
  const byId = new Map(rows.map((row) => [String(row.episodeId), row]));
  const found = hits.flatMap((hit) => {
    const row = byId.get(String(hit.id));
    const digest = row && openEpisode(services, row, key);
    return row && digest && (says?.(digestText(digest)) ?? true) ? [{ row, digest, hit }] : [];
  });
  return found.slice(0, asked.limit);
}

/** The digest of an episode, or null where it doesn't open in its place. */
export function openEpisode(services: Services, row: EpisodeRow, key: SubjectKey): Digest | null {
  const text = orAlarm(services.onAlarm, () => key.open(episodePlace(row), row.summarySealed));
  return text === null ? null : (JSON.parse(text) as Digest);
}
