import type { NarrowScope } from "../domain/erasure.js";
import { MunimentError } from "../domain/errors.js";
import type { FieldId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Reach } from "../storage/queries/reach-delete.js";
import {
  listReachedEvents,
  listReachedObservations,
  listReachedTurns,
  type ReachedEvent,
  type ReachedTurn,
} from "../storage/queries/reach-find.js";
import {
  type Forgotten,
  listCandidatesOf,
  listCandidatesOfField,
  listPromotionsOf,
  listReachedEpisodes,
  listTurnPlaces,
  listUnprovenCandidates,
  type ReachedCandidate,
  type ReachedEpisode,
} from "../storage/queries/reach-find-derived.js";
import {
  type KnowingRun,
  listRecordsOf,
  listRunsOfChats,
  listRunsOfSession,
  listToldRuns,
} from "../storage/queries/run-list-knowing.js";
import type { Transaction } from "../storage/store.js";

/** What is to be forgotten of somebody who stays. */
export interface ReachTarget {
  readonly scope: NarrowScope;
  readonly target: string;
  /** The field, where it is one. */
  readonly field: FieldId | null;
  /** True where something right stands instead: a turn with another text, a field's later value. */
  readonly corrects: boolean;
  /** Proposals that a source made under its own id. */
  readonly proposals?: readonly string[];
}

export interface Reached extends Reach {
  readonly rows: readonly ReachedTurn[];
  readonly revisions: readonly ReachedEvent[];
  readonly digests: readonly ReachedEpisode[];
  /** Ids of all of it that a hold could name. */
  readonly covered: readonly string[];
}

const EVER = new Date(0);

/** All that hangs on a session, run, source, turn, episode or field. Under the subject's lock, so that nothing is added to it. */
export async function reachOf(
  tx: Transaction,
  permit: Permit,
  { scope, target, field, corrects, proposals = [] }: ReachTarget,
): Promise<Reached> {
  const wanted = { scope, target };
  const session = scope === "session" ? target : null;
  const source = scope === "source" ? target : null;
  const episode = scope === "episode" ? target : null;
  const [rows, revisions, ofSession] = await tx.send([
    listReachedTurns(permit, wanted, LIMITS.indexTurnsMax + 1),
    listReachedEvents(permit, source, LIMITS.indexTurnsMax + 1),
    listRunsOfSession(permit, session),
  ]);
  if (Math.max(rows.length, revisions.length) > LIMITS.indexTurnsMax)
    throw new MunimentError(
      "too_large",
      `more than ${LIMITS.indexTurnsMax} turns or revisions at once: forget its runs one by one, or the person as a whole`,
    );
  const turns = rows.map(({ turnId }) => turnId);
  const runs = scope === "run" ? [target] : ofSession.map(({ runId }) => runId);
  const events = revisions.map(({ eventId }) => eventId);
  const forgotten = { turns, runs, session, episode, proposals };
  const [observed, resting] = await tx.send([
    listReachedObservations(permit, forgotten),
    field === null
      ? listCandidatesOf(permit, forgotten)
      : listCandidatesOfField(permit, field, corrects),
  ]);
  const observations = observed.map(({ observationId }) => observationId);
  const sources = [...turns, ...events, ...observations];
  const known = await knowingOf(tx, permit, { rows, forgotten, sources, resting });
  const { digests } = known;
  const candidates = [...resting, ...known.unproven];
  const reach = {
    turns,
    events,
    observations,
    episodes: digests.map(({ episodeId }) => episodeId),
    candidates: candidates.map(({ candidateId }) => candidateId),
    runs,
    session,
    source,
    knowing: known.knowing,
  };
  // What is made again of what is left isn't lost.
  const lost = digests.filter(({ hasMore }) => !hasMore);
  const digested = lost.map(({ sessionId }) => sessionId);
  const proofs = candidates.flatMap(({ evidence }) => evidence);
  const [places] = await tx.send([listTurnPlaces(permit, proofs, digested)]);
  const named = [
    ...[...rows, ...places].flatMap((row) => [row.turnId, row.runId, row.sessionId, row.sourceId]),
    ...lost.flatMap(({ sessionId, runId }) => [sessionId, runId]),
    ...candidates.flatMap(({ runId, sessionKey }) => [runId, sessionKey]),
    ...[...events, ...runs, session, source, episode, ...known.ids],
  ];
  const covered = [...new Set(named)].filter((id) => id !== null);
  return { ...reach, rows, revisions, digests, covered };
}

interface Knowable {
  readonly rows: readonly ReachedTurn[];
  readonly forgotten: Forgotten;
  /** Ids under which runs may have been told of it. */
  readonly sources: readonly string[];
  readonly resting: readonly ReachedCandidate[];
}

/** Who knew of it, what was digested of what those wrote, and what they proposed without saying of what. */
async function knowingOf(
  tx: Transaction,
  permit: Permit,
  { rows, forgotten, sources, resting }: Knowable,
) {
  const candidates = resting.map(({ candidateId }) => candidateId);
  const [promotions] = await tx.send([listPromotionsOf(permit, candidates)]);
  const values = promotions.map(({ promotionId }) => promotionId);
  const whole = forgotten.runs.map((runId) => ({ runId, since: EVER }) as KnowingRun);
  const said = rows.map(({ runId, recordedAt }) => ({ runId, since: recordedAt }));
  const spread = await spreadOf(tx, permit, {
    first: earliest([...whole, ...said]),
    forgotten,
    sources: [...sources, ...values],
  });
  const [unproven] = await tx.send([listUnprovenCandidates(permit, spread.knowing)]);
  const rest = unproven.filter(({ candidateId }) => !candidates.includes(candidateId));
  return { ...spread, unproven: rest };
}

interface Spreading {
  readonly first: readonly KnowingRun[];
  readonly forgotten: Forgotten;
  readonly sources: readonly string[];
}

/**
 * How far it spread: who knows tells the other runs of the chat, and what those wrote, its digests and records, is told to further
 * ones. In as many steps as it takes: each finds more runs, or earlier times.
 */
async function spreadOf(tx: Transaction, permit: Permit, { first, forgotten, sources }: Spreading) {
  for (let known = first; ; ) {
    const [chats] = await tx.send([listRunsOfChats(permit, known)]);
    const all = earliest([...known, ...chats]);
    const knowing = all.map(byAnyClock);
    const [digests, records] = await tx.send([
      listReachedEpisodes(permit, forgotten, knowing),
      listRecordsOf(permit, knowing),
    ]);
    const derived = [
      ...digests.map(({ episodeId }) => episodeId),
      ...records.map(({ recordId }) => recordId),
    ];
    const [told] = await tx.send([listToldRuns(permit, [...sources, ...derived])]);
    const more = earliest([...all, ...told]);
    if (isSame(more, all)) {
      const ids = chats.flatMap(({ runId, sessionId }) => [runId, sessionId]);
      return { knowing, digests, ids };
    }
    known = more;
  }
}

/** Of two that have the same runs or more. */
function isSame(more: readonly KnowingRun[], all: readonly KnowingRun[]): boolean {
  if (more.length !== all.length) return false;
  const sinces = new Map(all.map(({ runId, since }) => [runId, since.getTime()]));
  return more.every(({ runId, since }) => sinces.get(runId) === since.getTime());
}

/** What a run wrote after it knew may stand under an earlier time: another host wrote it down. */
function byAnyClock({ runId, since }: KnowingRun): KnowingRun {
  const earlier = Math.max(since.getTime() - LIMITS.clocksApartSecondsMax * 1_000, EVER.getTime());
  return { runId, since: new Date(earlier) };
}

/** Each run once, from when it first knew. */
function earliest(runs: readonly KnowingRun[]): readonly KnowingRun[] {
  const known = new Map<string, KnowingRun>();
  for (const run of runs) {
    const before = known.get(run.runId);
    if (before === undefined || run.since < before.since) known.set(run.runId, run);
  }
  return [...known.values()];
}
