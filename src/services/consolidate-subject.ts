import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
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
import { sendNextOfPerson } from "../storage/queries/work-insert.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { modelOf } from "./model-of.js";
import { modelIn, queueConsolidation } from "./queue-consolidation.js";
import { renewLease } from "./renew-lease.js";
import type { Services } from "./services.js";
import { viewPlace } from "./view-place.js";

interface Read {
  readonly subject: SubjectRevision;
  readonly view: ViewRow | undefined;
  readonly fresh: readonly StandingObservation[];
  readonly earlier: readonly StandingObservation[];
}

/**
 * Makes the person's model of what it said before and what was observed since, route by route: no consolidator sees what two
 * routes said, so that no sentence of one carries the other's. It is published where nothing of what was read has changed: a
 * late job overwrites no newer model, and brings back nothing that was forgotten.
 */
export async function consolidateSubject(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
): Promise<void> {
  const { subjectId: subject, keyId } = work;
  const key = await services.keyring.subjectKey(caller.principal.tenant, subject, keyId);
  if (key === null) throw notFound();
  const resource = { type: "memory", subject, keyId } as const;
  const read = await govern(services, caller, "consolidate_subject", async (op) => {
    const permit = op.permit(resource, {});
    return await services.store.transact(permit, async (tx): Promise<Read> => {
      // The subject first: what is written meanwhile is fresh to the next consolidation too.
      const [[standing], [view], fresh, earlier] = await tx.send([
        readSubject(permit),
        readView(permit, USER_MODEL),
        listFreshObservations(permit),
        listEarlierObservations(permit),
      ]);
      const ids = [...earlier, ...fresh].map(({ observationId }) => observationId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "observation", ids }] })]);
      if (standing === undefined) throw notFound();
      return { subject: standing, view, fresh, earlier: earlier.toReversed() };
    });
  });
  const taken = takenIn(read);
  const renew = () => renewLease(services, caller, work);
  const evidence = { ...read, fresh: taken.fresh, renew };
  const { model, leftOut } = await modelOf(services, caller, key, evidence);
  await govern(services, caller, "consolidate_subject", async (op) => {
    const permit = op.permit(resource, {});
    const version = read.subject.revision;
    const place = viewPlace(permit.scope.workspace, USER_MODEL, version);
    const view = {
      viewId: USER_MODEL,
      version,
      revision: taken.upto,
      depends: citedBy(model.sections),
      bodySealed: key.seal(place, JSON.stringify(model)),
    };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        touchSubject(subjectScope(permit)),
        requireUnpurged(permit, read.subject.purgeRevision),
        publishView(permit, view, read.view?.version ?? 0),
        finishWork(permit, work),
        sendNextOfPerson(permit, work, uuidv7()),
        ...(taken.isAll ? [] : queueConsolidation(permit, modelIn(permit))),
        op.audit(permit, {
          writes: [
            { kind: "view", ids: [`${USER_MODEL}@${version}`] },
            ...(leftOut > 0 ? [{ kind: "left_out", ids: [], count: leftOut }] : []),
          ],
        }),
      ]),
    );
  });
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
