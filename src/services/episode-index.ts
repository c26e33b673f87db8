import { notFound } from "../domain/errors.js";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { givingWay, type Steps } from "../domain/steps.js";
import { SubjectIndex } from "../recall/subject-index.js";
import { decodeDerivedTerms } from "../recall/terms.js";
import { type EpisodeTermsRow, listEpisodeTerms } from "../storage/queries/episode-list-terms.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { episodeTermsPlace } from "./episode-writing.js";
import { orAlarm } from "./integrity.js";
import { type IndexReading, type KeptKind, ownerOf, versionOf } from "./kept-index.js";

/** Episodes, as recall keeps them indexed. */
export const EPISODES: KeptKind<EpisodeTermsRow> = {
  kind: "episode",
  rowsMax: LIMITS.episodesIndexedMax,
  listNewer: listEpisodeTerms,
  takeIn,
  fill: fillIndex,
};

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
function takeIn(
  reading: IndexReading,
  index: SubjectIndex,
  newestFirst: readonly EpisodeTermsRow[],
): Promise<void> {
  return givingWay(takeEach(reading, index, newestFirst.toReversed()));
}

function* takeEach(
  { services, key }: IndexReading,
  index: SubjectIndex,
  rows: readonly EpisodeTermsRow[],
): Steps<void> {
  for (const row of rows) {
    yield;
    const sealed = orAlarm(services.onAlarm, () =>
      key.openTerms(episodeTermsPlace(row.episodeId, row.sessionId), row.termsSealed),
    );
    const terms = sealed === null ? null : decodeDerivedTerms(sealed);
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
