import type { NarrowScope } from "../domain/erasure.js";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import {
  type KnowingRun,
  listRunsOfSession,
  listShownRuns,
} from "../storage/queries/knowing-runs.js";
import type { Reach } from "../storage/queries/reach-delete.js";
import {
  listReachedEvents,
  listReachedObservations,
  listReachedTurns,
  type ReachedEvent,
  type ReachedTurn,
} from "../storage/queries/reach-find.js";
import type { Transaction } from "../storage/store.js";

export interface Reached extends Reach {
  readonly rows: readonly ReachedTurn[];
  readonly revisions: readonly ReachedEvent[];
}

const EVER = new Date(0);

/** All that hangs on a session, run, source, turn or episode. Under the subject's lock, so that nothing is added to it. */
export async function reachOf(
  tx: Transaction,
  permit: Permit,
  scope: NarrowScope,
  target: string,
): Promise<Reached> {
  const wanted = { scope, target };
  const session = scope === "session" ? target : null;
  const source = scope === "source" ? target : null;
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
  const [reached] = await tx.send([listReachedObservations(permit, { turns, runs, session })]);
  const observations = reached.map(({ observationId }) => observationId);
  const [shown] = await tx.send([listShownRuns(permit, [...turns, ...events, ...observations])]);
  const whole = runs.map((runId) => ({ runId, since: EVER }) as KnowingRun);
  const said = rows.map(({ runId, recordedAt }) => ({ runId, since: recordedAt }));
  return {
    rows,
    revisions,
    turns,
    events,
    observations,
    runs,
    session,
    source,
    episode: scope === "episode" ? target : null,
    knowing: earliest([...whole, ...said, ...shown]),
  };
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

/** Ids of all that a hold could cover of it. */
export function coveredBy({
  rows,
  events,
  runs,
  session,
  source,
  episode,
}: Reached): readonly string[] {
  const ids = rows.flatMap(({ turnId, runId, sessionId, sourceId }) => [
    turnId,
    runId,
    sessionId,
    sourceId,
  ]);
  return [...new Set([...ids, ...events, ...runs, session, source, episode])].filter(
    (id) => id !== null,
  );
}
