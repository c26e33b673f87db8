import { uuidv7 } from "uuidv7";
import type { ErasureReason } from "../domain/erasure.js";
import type { ErasureId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { USER_MODEL } from "../domain/view.js";
import {
  deleteEpisodes,
  deleteEscalations,
  deleteEvents,
  deleteObservations,
  deleteTurns,
  deleteWorking,
  deleteWritten,
  insertRecompression,
  type RemovedObservation,
} from "../storage/queries/reach-delete.js";
import {
  deleteCandidates,
  deleteValues,
  withdrawEvidence,
} from "../storage/queries/reach-delete-store.js";
import {
  deactivateRuns,
  deleteNames,
  deletePacks,
  deleteRuns,
  deleteSession,
  deleteWork,
} from "../storage/queries/reach-delete-whole.js";
import type { ReachedEpisode } from "../storage/queries/reach-find-derived.js";
import { markKnowing } from "../storage/queries/run-mark-knowing.js";
import { queueReobservations } from "../storage/queries/session-observe.js";
import { deleteOfSubject } from "../storage/queries/subject-end.js";
import { insertRequestTombstones } from "../storage/queries/tombstone-insert.js";
import { deleteViews, type RemovedView } from "../storage/queries/view-delete.js";
import { sendWork } from "../storage/queries/work-insert.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { modelIn, queueConsolidation } from "./queue-consolidation.js";
import type { Reached } from "./reach.js";

export interface Forgetting {
  readonly erasureId: ErasureId;
  readonly reason: ErasureReason;
  readonly reach: Reached;
  /** True where something right stands instead: a turn with another text, a field's later value. */
  readonly corrects: boolean;
}

export interface Forgotten {
  /** Rows that went, by table. */
  readonly removed: Readonly<Record<string, number>>;
  /** Episodes and observations that are to be made again from what is left. */
  readonly again: readonly Statement[];
}

/**
 * Removes what is forgotten with all that derives from it alone, in an order in which no row is left that points to one that
 * has gone. What else derives from the subject as a whole, and could show it, goes too: index segments, views and kept replies.
 */
export async function forgetReach(
  tx: Transaction,
  permit: Permit,
  { erasureId, reason, reach, corrects }: Forgetting,
): Promise<Forgotten> {
  const { digests } = reach;
  const [, [episodes], observations, views] = await tx.send([
    insertRequestTombstones(permit, erasureId, reason),
    deleteEpisodes(permit, reach),
    deleteObservations(permit, reach),
    deleteViews(permit),
  ]);
  const steps = rowRemovals(permit, reach, corrects);
  const counts = await tx.send(steps.map(([, statement]) => statement));
  const [, , , runs, sessions, names] = await tx.send([
    withdrawEvidence(permit, reach),
    markKnowing(permit, reach.knowing),
    deactivateRuns(permit, reach),
    deleteRuns(permit, reach),
    deleteSession(permit, reach),
    deleteNames(permit, reach),
  ]);
  const removed = {
    episode: episodes?.removed ?? 0,
    observation: observations.length,
    view: views.length,
    ...Object.fromEntries(steps.map(([table], place) => [table, removedIn(counts[place])])),
    run: removedIn(runs),
    session: removedIn(sessions),
    external_id: removedIn(names),
  };
  return {
    removed,
    again: [
      ...compressAgain(permit, digests),
      ...(await observeAgain(tx, permit, observations)),
      ...consolidateAgain(permit, views),
    ],
  };
}

/** By table, in an order in which nothing points to what has gone. */
function rowRemovals(permit: Permit, reach: Reached, corrects: boolean) {
  const { candidates } = reach;
  return [
    ["vector", deleteTurns(permit, "vector", reach)],
    ["segment", deleteOfSubject(permit, "segment")],
    ["field_value", deleteValues(permit, candidates)],
    ["candidate", deleteCandidates(permit, candidates)],
    ["working", deleteWorking(permit, reach)],
    ["checkpoint", deleteWritten(permit, "checkpoint", reach)],
    ["escalation", deleteEscalations(permit, reach)],
    ["trace", deleteWritten(permit, "trace", reach)],
    ["pack", deletePacks(permit, reach)],
    ["turn", deleteTurns(permit, "turn", corrects ? { ...reach, turns: [] } : reach)],
    ["event", deleteEvents(permit, reach)],
    ["work", deleteWork(permit, reach)],
    ["idempotency", deleteOfSubject(permit, "idempotency")],
  ] as const;
}

function removedIn(rows: readonly { readonly removed: number }[] | undefined): number {
  return rows?.[0]?.removed ?? 0;
}

/** A person's model is made again of what is left, in each workspace that had one. */
function consolidateAgain(permit: Permit, views: readonly RemovedView[]): readonly Statement[] {
  const models = views.filter(({ viewId }) => viewId === USER_MODEL);
  const { subjectId } = modelIn(permit);
  return models.flatMap(({ workspaceId }) =>
    queueConsolidation(permit, { subjectId, workspaceId }),
  );
}

/** One job for what one close of a session had made. */
function compressAgain(permit: Permit, episodes: readonly ReachedEpisode[]): readonly Statement[] {
  const jobs = new Map<string, { session: string; dataClass: string | null; routes: string[] }>();
  for (const { sessionId, routeId, dataClass, hasMore } of episodes) {
    if (!hasMore) continue;
    const key = JSON.stringify([sessionId, dataClass]);
    const job = jobs.get(key) ?? { session: sessionId, dataClass, routes: [] };
    jobs.set(key, { ...job, routes: [...job.routes, routeId] });
  }
  return [...jobs.values()].flatMap((job) => {
    const workId = uuidv7();
    return [insertRecompression(permit, { ...job, workId }), sendWork(permit, workId)];
  });
}

/** What the person said elsewhere too added nothing while the observation stood: it is looked for in all that they said. */
async function observeAgain(
  tx: Transaction,
  permit: Permit,
  observations: readonly RemovedObservation[],
): Promise<readonly Statement[]> {
  if (observations.length === 0) return [];
  const fresh = Array.from({ length: LIMITS.observeLeftOverMax }, () => uuidv7());
  const [queued] = await tx.send([queueReobservations(permit, observations, fresh)]);
  // Oldest session first, as far as workers take turns: what corrects something is told by what was found before.
  const ids = queued.map(({ workId }) => workId).toSorted();
  return ids.map((id) => sendWork(permit, id));
}
