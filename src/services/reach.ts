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
  listCandidatesOf,
  listCandidatesOfField,
  listTurnPlaces,
  type ReachedCandidate,
  type ReachedEpisode,
} from "../storage/queries/reach-find-derived.js";
import { listTargetRuns, type TargetRun } from "../storage/queries/run-list-knowing.js";
import type { Transaction } from "../storage/store.js";
import { knowingOf } from "./knowing.js";

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
  /** What was recorded after it stays, but for what derives from what goes. Nothing does where it is missing. */
  readonly until?: Date;
}

export interface Reached extends Reach {
  readonly rows: readonly ReachedTurn[];
  readonly revisions: readonly ReachedEvent[];
  readonly digests: readonly ReachedEpisode[];
  /** True where a session or run goes on without what is forgotten of it. */
  readonly goesOn: boolean;
  /** Ids of all of it that a hold could name. */
  readonly covered: readonly string[];
}

/** All that hangs on a session, run, source, turn, episode or field. Under the subject's lock, so that nothing is added to it. */
export async function reachOf(
  tx: Transaction,
  permit: Permit,
  target: ReachTarget,
): Promise<Reached> {
  const named = await findNamed(tx, permit, target);
  const { rows, revisions, session, source, episode, goesOn } = named;
  const { field, corrects, proposals = [], until = null } = target;
  const turns = rows.map(({ turnId }) => turnId);
  const runs = named.runs.map(({ runId }) => runId);
  const events = revisions.map(({ eventId }) => eventId);
  const forgotten = { turns, runs, session, episode, proposals, until, goesOn };
  const [observed, resting] = await tx.send([
    listReachedObservations(permit, forgotten),
    field === null
      ? listCandidatesOf(permit, forgotten)
      : listCandidatesOfField(permit, field, corrects, until),
  ]);
  const observations = observed.map(({ observationId }) => observationId);
  const sources = [...turns, ...events, ...observations];
  const known = await knowingOf(tx, permit, { rows, forgotten, sources, resting });
  const { digests, knowing } = known;
  const candidates = [...resting, ...known.unproven];
  const covered = await coveredBy(tx, permit, named, { digests, candidates, ids: known.ids });
  return {
    turns,
    events,
    observations,
    episodes: digests.map(({ episodeId }) => episodeId),
    candidates: candidates.map(({ candidateId }) => candidateId),
    runs: named.runs.filter((run) => !run.goesOn).map(({ runId }) => runId),
    session: goesOn ? null : session,
    source,
    knowing,
    rows,
    revisions,
    digests,
    goesOn,
    covered,
  };
}

/** What the target names itself, in which nothing was found yet that derives from it. */
interface Named {
  readonly rows: readonly ReachedTurn[];
  readonly revisions: readonly ReachedEvent[];
  readonly runs: readonly TargetRun[];
  readonly session: string | null;
  readonly source: string | null;
  readonly episode: string | null;
  readonly goesOn: boolean;
}

async function findNamed(tx: Transaction, permit: Permit, wanted: ReachTarget): Promise<Named> {
  const { scope, target, until = null } = wanted;
  const only = (kind: NarrowScope) => (scope === kind ? target : null);
  const [session, source, episode] = [only("session"), only("source"), only("episode")];
  const [rows, revisions, runs] = await tx.send([
    listReachedTurns(permit, { scope, target }, until, LIMITS.indexTurnsMax + 1),
    listReachedEvents(permit, source, until, LIMITS.indexTurnsMax + 1),
    listTargetRuns(permit, { session, run: only("run") }, until),
  ]);
  if (Math.max(rows.length, revisions.length) > LIMITS.indexTurnsMax)
    throw new MunimentError(
      "too_large",
      `more than ${LIMITS.indexTurnsMax} turns or revisions at once: forget its runs one by one, or the person as a whole`,
    );
  const goesOn = runs.some((run) => run.goesOn);
  return { rows, revisions, runs, session, source, episode, goesOn };
}

interface Derived {
  readonly digests: readonly ReachedEpisode[];
  readonly candidates: readonly ReachedCandidate[];
  /** Of who knew of it. */
  readonly ids: readonly string[];
}

/** Ids of all of it that a hold could name. */
async function coveredBy(
  tx: Transaction,
  permit: Permit,
  { rows, revisions, runs, session, source, episode }: Named,
  { digests, candidates, ids }: Derived,
): Promise<readonly string[]> {
  // What is made again of what is left isn't lost.
  const lost = digests.filter(({ hasMore }) => !hasMore);
  const digested = lost.map(({ sessionId }) => sessionId);
  const proofs = candidates.flatMap(({ evidence }) => evidence);
  const [places] = await tx.send([listTurnPlaces(permit, proofs, digested)]);
  const named = [
    ...[...rows, ...places].flatMap((row) => [row.turnId, row.runId, row.sessionId, row.sourceId]),
    ...lost.flatMap(({ sessionId, runId }) => [sessionId, runId]),
    ...candidates.flatMap(({ runId, sessionKey }) => [runId, sessionKey]),
    ...revisions.map(({ eventId }) => eventId),
    ...runs.map(({ runId }) => runId),
    ...[session, source, episode, ...ids],
  ];
  return [...new Set(named)].filter((id) => id !== null);
}
