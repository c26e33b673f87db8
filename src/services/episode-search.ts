import { setImmediate } from "node:timers/promises";
import type { Digest } from "../domain/digest.js";
import { notFound } from "../domain/errors.js";
import { type EpisodeId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Coverage } from "../recall/outcome.js";
import { type Hit, type SearchResult, SubjectIndex } from "../recall/subject-index.js";
import { decodeTerms } from "../recall/terms.js";
import { findEpisodes } from "../storage/queries/episode-find.js";
import type { EpisodeRow } from "../storage/queries/episode-list.js";
import { type EpisodeTermsRow, listEpisodeTerms } from "../storage/queries/episode-list-terms.js";
import {
  readSubject,
  type SubjectRevision,
  shareSubject,
} from "../storage/queries/subject-read.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { digestText, episodePlace, episodeTermsPlace } from "./episode-writing.js";
import { orAlarm } from "./integrity.js";
import {
  catchUp,
  guessIndex,
  type IndexReading,
  type KeptKind,
  ownerOf,
  versionOf,
} from "./kept-index.js";
import type { RowsByName } from "./named-statements.js";
import { askedOf, quotedBy, type RecallNarrowing, recallFilter } from "./recall-filter.js";
import type { Services } from "./services.js";

/** Rows that are opened before others get their turn: about 10 ms. */
const ROWS_A_TICK = 200;

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

/** Episodes, as recall keeps them indexed. */
const EPISODES: KeptKind<EpisodeTermsRow> = {
  kind: "episode",
  rowsMax: LIMITS.episodesIndexedMax,
  listNewer: listEpisodeTerms,
  takeIn,
  fill: fillIndex,
};

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
  const guess = rank(kept, search);
  return {
    statements: {
      standing: shareSubject(permit),
      newerEpisodes: EPISODES.listNewer(permit, kept.revision, EPISODES.rowsMax),
      bestEpisodes: findEpisodes(permit, idsOf(guess)),
    },
    async end({ standing: [subject], newerEpisodes, bestEpisodes }) {
      const newer = { subject, rows: newerEpisodes };
      const { index, isAsGuessed } = await catchUp(reading, EPISODES, kept, newer);
      const result = isAsGuessed ? guess : rank(index, search);
      const rows = isAsGuessed
        ? bestEpisodes
        : (await tx.send([findEpisodes(permit, idsOf(result))]))[0];
      const found = open(services, search, result, rows);
      return {
        episodes: found,
        outcome: found.length > 0 ? "matches" : "no_matches",
        coverage: { ...result.coverage, capped: result.coverage.capped || index.truncated },
        fallback: result.fallback,
      };
    },
  };
}

function rank(index: SubjectIndex, { permit, asked }: EpisodeSearch): SearchResult {
  const spare = quotedBy(asked) === null ? 0 : LIMITS.phraseCandidatesMax;
  return index.search(askedOf(asked), recallFilter(permit, asked, spare));
}

function idsOf({ hits }: SearchResult): readonly EpisodeId[] {
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

/** The subject's index where none is in memory. */
async function fillIndex(reading: IndexReading): Promise<SubjectIndex> {
  const { services, tx, permit } = reading;
  const [[live], rows] = await tx.send([
    readSubject(permit),
    listEpisodeTerms(permit, 0, EPISODES.rowsMax),
  ]);
  if (live === undefined) throw notFound();
  const index = new SubjectIndex();
  await takeIn(reading, index, rows);
  index.revision = live.revision;
  index.truncated = rows.length === EPISODES.rowsMax;
  services.indexes.putFilled(ownerOf(permit, "episode"), versionOf(permit, live), index);
  return index;
}

/** Takes rows into the index, oldest first, and lets other requests run in between. */
async function takeIn(
  { services, key }: IndexReading,
  index: SubjectIndex,
  newestFirst: readonly EpisodeTermsRow[],
): Promise<void> {
  for (const [done, row] of newestFirst.toReversed().entries()) {
    if (done > 0 && done % ROWS_A_TICK === 0) await setImmediate();
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
}

/** The digest of an episode, or null where it doesn't open in its place. */
export function openEpisode(services: Services, row: EpisodeRow, key: SubjectKey): Digest | null {
  const text = orAlarm(services.onAlarm, () => key.open(episodePlace(row), row.summarySealed));
  return text === null ? null : (JSON.parse(text) as Digest);
}
