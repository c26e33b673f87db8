import { notFound } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { givingWay, type Steps } from "../domain/steps.js";
import { gapsBetween, type Revisions } from "../recall/revisions.js";
import { decodeSegment } from "../recall/segment.js";
import { SubjectIndex } from "../recall/subject-index.js";
import { ANALYSER_VERSION } from "../recall/terms.js";
import { listSegments, type SegmentRow } from "../storage/queries/segment-list.js";
import { readSubject } from "../storage/queries/subject-read.js";
import {
  listTermsAfterRevision,
  listTermsBetween,
  type TermsRow,
} from "../storage/queries/turn-list-terms.js";
import { orAlarm } from "./integrity.js";
import { type IndexReading, type KeptKind, ownerOf, versionOf } from "./kept-index.js";
import { segmentPlace } from "./segment-place.js";
import { readTerms } from "./terms-reading.js";

/**
 * The subject's index where none is in memory. Segments only save work: what none of them covers, be it new, gone or not
 * to be opened, comes from the turns themselves.
 */
async function fillIndex(reading: IndexReading): Promise<SubjectIndex> {
  const { services, tx, permit } = reading;
  const [[live], newest, segments] = await tx.send([
    readSubject(permit),
    listTermsAfterRevision(permit, 0, LIMITS.newestTurnsMax),
    listSegments(permit, ANALYSER_VERSION, LIMITS.indexSegmentsMax),
  ]);
  if (live === undefined) throw notFound();
  const owner = ownerOf(permit, "turn");
  const version = versionOf(permit, live);
  // Another request may have been quicker.
  const known = services.indexes.get(owner, version);
  if (known !== null) return known;
  const index = new SubjectIndex();
  if (newest.length < LIMITS.newestTurnsMax) await takeIn(reading, index, newest);
  else await takeInAll(reading, index, segments, newest);
  index.revision = live.revision;
  services.indexes.putFilled(owner, version, index);
  return index;
}

/** Turns, as recall keeps them indexed. */
export const TURNS: KeptKind<TermsRow> = {
  kind: "turn",
  rowsMax: LIMITS.indexTurnsMax,
  listNewer: listTermsAfterRevision,
  takeIn,
  fill: fillIndex,
};

/** Takes rows into the index, oldest first. What can't be searched yet stays counted with the index. */
async function takeIn(
  reading: IndexReading,
  index: SubjectIndex,
  newestFirst: readonly TermsRow[],
): Promise<void> {
  for (const { row, terms } of await readTerms(reading, newestFirst.toReversed())) {
    if (terms === null) index.addPending({ ...row, id: row.turnId });
    else index.add({ ...row, id: row.turnId, terms });
  }
}

async function takeInAll(
  reading: IndexReading,
  index: SubjectIndex,
  segments: readonly SegmentRow[],
  newest: readonly TermsRow[],
): Promise<void> {
  const gaps = gapsBetween(await givingWay(openSegments(reading, index, segments)));
  // Of the oldest revision that was fetched, some rows may not have been.
  const fetchedAfter = newest.at(-1)?.revision ?? 0;
  const isGap = ({ revision }: TermsRow) =>
    gaps.some(({ after, upto }) => revision > after && revision <= upto);
  const missing = gaps
    .map(({ after, upto }) => ({ after, upto: Math.min(upto, fetchedAfter) }))
    .filter(({ after, upto }) => after < upto);
  const older = await listMissing(reading, missing);
  index.truncated =
    segments.length === LIMITS.indexSegmentsMax || older.length === LIMITS.indexTurnsMax;
  const newer = newest.filter((row) => row.revision > fetchedAfter && isGap(row));
  await takeIn(reading, index, [...newer, ...older]);
}

async function listMissing(
  { tx, permit }: IndexReading,
  missing: readonly Revisions[],
): Promise<readonly TermsRow[]> {
  if (missing.length === 0) return [];
  const [rows] = await tx.send([listTermsBetween(permit, missing, LIMITS.indexTurnsMax)]);
  return rows;
}

/** Opens segments into the index, oldest first: a turn that was written anew stands as it is in the later one. */
function* openSegments(
  { services, key }: IndexReading,
  index: SubjectIndex,
  newestFirst: readonly SegmentRow[],
): Steps<readonly Revisions[]> {
  const covered: Revisions[] = [];
  for (const row of newestFirst.toReversed()) {
    yield;
    const bytes = orAlarm(services.onAlarm, () => key.openIndex(segmentPlace(row), row.sealed));
    const segment = bytes === null ? null : decodeSegment(bytes);
    if (segment === null) continue;
    index.addSegment(segment);
    covered.push({ after: row.afterRevision, upto: row.uptoRevision });
  }
  return covered;
}
