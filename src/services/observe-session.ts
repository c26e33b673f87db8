import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
import { type SessionId, trustedId, type WorkId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { PLATFORM_DIMENSIONS } from "../domain/platform-dimensions.js";
import { remembers } from "../domain/profile.js";
import { EMPTY_MODEL, type UserModel } from "../domain/user-model.js";
import { USER_MODEL } from "../domain/view.js";
import type { ObservationSpan } from "../domain/work.js";
import { listDimensions } from "../storage/queries/dimension-find.js";
import { listObservationsOfSubject } from "../storage/queries/observation-list.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { findMapping } from "../storage/queries/reach-find.js";
import { listSessionRuns } from "../storage/queries/session-content.js";
import { insertRestOfSpan } from "../storage/queries/session-observe.js";
import { markLookedAt, markProcessed } from "../storage/queries/session-processed.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import { listTurnsToObserve } from "../storage/queries/turn-list-to-observe.js";
import { readView } from "../storage/queries/view-read.js";
import type { ClaimedWork } from "../storage/queries/work-claim.js";
import { finishWork } from "../storage/queries/work-end.js";
import { sendWork } from "../storage/queries/work-insert.js";
import { findNextOfPerson } from "../storage/queries/work-next.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { newsWrites } from "./news-writes.js";
import { type Answered, answerOf } from "./observation-answer.js";
import { openObservations } from "./observation-reading.js";
import { byRoute, restOfSpan, subjectName, windowOf } from "./observed-turns.js";
import type { Operation } from "./operation.js";
import { modelIn, queueConsolidation } from "./queue-consolidation.js";
import type { Services } from "./services.js";
import { openView } from "./view-place.js";
import { workKey } from "./work-key.js";

export type ObservationJob = ClaimedWork & {
  readonly sessionId: SessionId;
  readonly detail: ObservationSpan;
};

/**
 * Notes what a part of a session says about its person under one route, and queues what is left of it. What the observer answers
 * counts as far as it is found in the turns; an answer of which nothing is found is an error. Gives the person's next session.
 */
export async function observeSession(
  services: Services,
  caller: Caller,
  work: ObservationJob,
): Promise<WorkId | undefined> {
  const key = await workKey(services, caller, work);
  const found = await govern(services, caller, "observe_session", (op) => read(op, key, work));
  // The observer is asked between two transactions: none is held open while somebody else thinks.
  const [route] = found.routes;
  const answer = route === undefined ? null : await answerOf(services, caller, route);
  return await govern(services, caller, "observe_session", (op) =>
    keep(op, key, work, found, answer),
  );
}

async function keep(
  op: Operation<"observe_session">,
  key: SubjectKey,
  work: ObservationJob,
  found: Awaited<ReturnType<typeof read>>,
  answer: Answered | null,
): Promise<WorkId | undefined> {
  const permit = op.permit(sessionOf(work), {});
  return await op.services.store.transact(permit, async (tx) => {
    // The subject first: whatever another job has kept since the turns were read is seen behind it.
    const [, , late] = await tx.send([
      touchSubject(subjectScope(permit)),
      requireUnpurged(permit, found.purgeRevision),
      listObservationsOfSubject(permit, {
        after: found.revision,
        limit: LIMITS.observationsSearchedMax,
      }),
    ]);
    const rows = { before: found.observations, late };
    const { statements, ends, expired } = newsWrites(op, permit, key, answer, rows);
    const made = await tx.send(statements);
    const ids = made.flatMap((rows) => rows.map(({ observationId }) => observationId));
    const [[next]] = await tx.commit([
      findNextOfPerson(permit, work.workId),
      ...ends,
      found.lookedAt,
      ...(found.rest === null ? [markProcessed(permit)] : queueRest(permit, work, found.rest)),
      ...(ids.length > 0 ? queueConsolidation(permit, modelIn(permit)) : []),
      finishWork(permit, work),
      op.audit(permit, {
        writes: [
          { kind: "observation", ids },
          ...counted("dropped", answer?.dropped ?? 0),
          ...counted("expired", expired),
        ],
      }),
    ]);
    // What is left of the session comes first.
    return found.rest === null ? next?.workId : undefined;
  });
}

function sessionOf({ subjectId: subject, keyId, sessionId: session }: ObservationJob) {
  return { type: "session", subject, keyId, session } as const;
}

function counted(kind: string, count: number) {
  return count > 0 ? [{ kind, ids: [], count }] : [];
}

async function read(op: Operation<"observe_session">, key: SubjectKey, work: ObservationJob) {
  const { services } = op;
  const { detail, subjectId } = work;
  const permit = op.permit(sessionOf(work), {});
  return await services.store.transact(permit, async (tx) => {
    const [[standing], runs, rows, observations, defined, [name], [view]] = await tx.send([
      readSubject(permit),
      listSessionRuns(permit, LIMITS.pageRowsMax),
      listTurnsToObserve(permit, detail, LIMITS.observeTurnsMax),
      listObservationsOfSubject(permit, { limit: LIMITS.observationsSearchedMax }),
      listDimensions(permit, null, LIMITS.dimensionsMax),
      findMapping(permit, "subject", { lookup: new Uint8Array(), internalId: subjectId }),
      readView(permit, USER_MODEL),
    ]);
    const window = windowOf(services, key, rows, detail);
    const { turns } = window;
    await tx.commit([
      op.audit(permit, { reads: [{ kind: "turn", ids: turns.map(({ row }) => row.turnId) }] }),
    ]);
    if (standing === undefined) throw notFound();
    const routes = byRoute({
      span: detail,
      runs: runs.filter(({ profile }) => remembers(profile)),
      turns,
      dimensions: [...PLATFORM_DIMENSIONS, ...defined.map(({ definition }) => definition)],
      cues: services.cues,
      observations: openObservations(observations, key, services.onAlarm),
      subject: subjectName(services, key, subjectId, name),
      model: (view && openView<UserModel>(services, view, key)) ?? EMPTY_MODEL,
    });
    const lookedAt = markLookedAt(permit, turns.at(-1)?.row.seq ?? 0, {
      imported: detail.after_epoch < 0,
    });
    const rest = restOfSpan(detail, window, routes);
    return { routes, observations, rest, lookedAt, ...standing };
  });
}

function queueRest(permit: Permit, of: ClaimedWork, span: ObservationSpan): readonly Statement[] {
  const workId = trustedId<"WorkId">(uuidv7());
  return [insertRestOfSpan(permit, { workId, of: of.workId, span }), sendWork(permit, workId)];
}
