import { notFound } from "../domain/errors.js";
import type { WorkId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { citedBy } from "../domain/user-model.js";
import { USER_MODEL } from "../domain/view.js";
import {
  listEarlierObservations,
  listFreshObservations,
  type StandingObservation,
} from "../storage/queries/observation-list-to-consolidate.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { readSubject, type SubjectRevision } from "../storage/queries/subject-read.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import { readView, type ViewRow } from "../storage/queries/view-read.js";
import { publishView } from "../storage/queries/view-write.js";
import type { ClaimedWork } from "../storage/queries/work-claim.js";
import { finishWork } from "../storage/queries/work-end.js";
import { findNextOfPerson } from "../storage/queries/work-next.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import type { Operation } from "./operation.js";
import { modelIn, queueConsolidation } from "./queue-consolidation.js";
import { renewLease } from "./renew-lease.js";
import type { Services } from "./services.js";
import { userModelOf } from "./user-model-of.js";
import { viewPlace } from "./view-place.js";
import { workKey } from "./work-key.js";

interface Read {
  readonly subject: SubjectRevision;
  readonly view: ViewRow | undefined;
  readonly fresh: readonly StandingObservation[];
  readonly earlier: readonly StandingObservation[];
}

/**
 * Makes the person's model of what it said before and what was observed since, route by route: no consolidator sees what two
 * routes said, so that no sentence of one carries the other's. It is published where nothing of what was read has changed: a
 * late job overwrites no newer model, and brings back nothing that was forgotten. Gives the next job that makes it, where one waits.
 */
export async function consolidateSubject(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
): Promise<WorkId | undefined> {
  const key = await workKey(services, caller, work);
  const read = await govern(services, caller, "consolidate_subject", (op) => readFresh(op, work));
  const taken = takenIn(read);
  const renew = () => renewLease(services, caller, work);
  const evidence = { ...read, fresh: taken.fresh, renew };
  const made = await userModelOf(services, caller, key, evidence);
  return await govern(services, caller, "consolidate_subject", (op) =>
    publish(op, key, work, { read, taken, made }),
  );
}

/** The subject first: what is written meanwhile is fresh to the next consolidation too. */
async function readFresh(op: Operation<"consolidate_subject">, work: ClaimedWork): Promise<Read> {
  const permit = op.permit(memoryOf(work), {});
  return await op.services.store.transact(permit, async (tx) => {
    const [[subject], [view], fresh, earlier] = await tx.send([
      readSubject(permit),
      readView(permit, USER_MODEL),
      listFreshObservations(permit),
      listEarlierObservations(permit),
    ]);
    const ids = [...earlier, ...fresh].map(({ observationId }) => observationId);
    await tx.commit([op.audit(permit, { reads: [{ kind: "observation", ids }] })]);
    if (subject === undefined) throw notFound();
    return { subject, view, fresh, earlier: earlier.toReversed() };
  });
}

interface Consolidated {
  readonly read: Read;
  readonly taken: ReturnType<typeof takenIn>;
  readonly made: Awaited<ReturnType<typeof userModelOf>>;
}

async function publish(
  op: Operation<"consolidate_subject">,
  key: SubjectKey,
  work: ClaimedWork,
  { read, taken, made: { model, leftOut } }: Consolidated,
): Promise<WorkId | undefined> {
  const permit = op.permit(memoryOf(work), {});
  const version = read.subject.revision;
  const place = viewPlace(permit.scope.workspace, USER_MODEL, version);
  const view = {
    viewId: USER_MODEL,
    version,
    revision: taken.upto,
    depends: citedBy(model.sections),
    bodySealed: key.seal(place, JSON.stringify(model)),
  };
  const [, [next]] = await op.services.store.transact(permit, (tx) =>
    tx.commit([
      touchSubject(subjectScope(permit)),
      findNextOfPerson(permit, work.workId),
      requireUnpurged(permit, read.subject.purgeRevision),
      publishView(permit, view, read.view?.version ?? 0),
      finishWork(permit, work),
      ...(taken.isAll ? [] : queueConsolidation(permit, modelIn(permit))),
      op.audit(permit, {
        writes: [
          { kind: "view", ids: [`${USER_MODEL}@${version}`] },
          ...(leftOut > 0 ? [{ kind: "left_out", ids: [], count: leftOut }] : []),
        ],
      }),
    ]),
  );
  return next?.workId;
}

function memoryOf({ subjectId: subject, keyId }: ClaimedWork) {
  return { type: "memory", subject, keyId } as const;
}

/** What one consolidation takes in, in whole revisions: what was written at once is never parted. */
function takenIn({ fresh, subject }: Pick<Read, "fresh" | "subject">) {
  if (fresh.length <= LIMITS.consolidateFreshMax)
    return { fresh, upto: subject.revision, isAll: true };
  const next = fresh.at(-1)?.revision ?? 0;
  const whole = fresh.filter(({ revision }) => revision < next);
  const upto = whole.at(-1)?.revision ?? next;
  return { fresh: whole.length > 0 ? whole : fresh, upto, isAll: false };
}
