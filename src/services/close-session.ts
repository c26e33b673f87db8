import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import { notFound } from "../domain/errors.js";
import { type SessionId, trustedId, type WorkId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import { LIMITS } from "../domain/limits.js";
import {
  closeSession as close,
  insertCompression,
  markCompressed,
} from "../storage/queries/session-close.js";
import {
  insertObservationWork,
  markObserved,
  refuseObservation,
} from "../storage/queries/session-observe.js";
import { sendWork } from "../storage/queries/work-insert.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { closeSessionInput } from "./inputs/episode.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { namedSubject } from "./settle.js";
import { findSession, type KnownSubject } from "./subjects.js";

export interface CloseSessionReply {
  readonly state: "closed";
  /** The job that makes the session's episodes; null where none was asked for. */
  readonly work_id: string | null;
  /** The job that notes what the session says about its person; null where none was asked for. */
  readonly observe_work_id: string | null;
  readonly decision: DecisionReply;
}

/**
 * Ends a session: nothing is said in it any more, and what was said goes to compression and to observation, unless the application
 * wants none.
 * The raw turns keep their own clocks. One network round trip.
 */
export function closeSession(
  services: Services,
  caller: Caller,
  subjectId: string,
  sessionId: string,
  body: unknown,
): Promise<CloseSessionReply> {
  return govern(services, caller, "close_session", async (op) => {
    const input = parseInput(closeSessionInput, body);
    const { subject, session } = await standing(
      op,
      parseExternalId(subjectId, "subject"),
      parseExternalId(sessionId, "session"),
    );
    makeRepeatable(op, subject.key, [subjectId, sessionId, body]);
    const { keyId } = subject;
    const permit = op.permit({ type: "session", subject: subject.subject, keyId, session }, {});
    const work = input.compress ? trustedId<"WorkId">(uuidv7()) : null;
    const observation = input.observe ? trustedId<"WorkId">(uuidv7()) : null;
    const closed = { state: "closed" as const, work_id: work, observe_work_id: observation };
    const reply = { ...closed, decision: op.decision() };
    const jobs = [work, observation].flatMap((id) => id ?? []);
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        close(permit, {
          ids: Array.from({ length: LIMITS.tracesPageMax }, () => uuidv7()),
          expiresAt: hoursAfter(op.now, services.retention.traceDays * 24),
        }),
        ...(work === null ? [] : compression(permit, work, input.data_class ?? null)),
        ...observationOf(permit, observation),
        op.audit(permit, {
          writes: [
            { kind: "session", ids: [session] },
            ...(jobs.length === 0 ? [] : [{ kind: "work", ids: jobs }]),
          ],
        }),
      ]),
    );
    return reply;
  });
}

function compression(permit: Parameters<typeof close>[0], work: WorkId, dataClass: string | null) {
  return [
    insertCompression(permit, work, dataClass),
    markCompressed(permit),
    sendWork(permit, work),
  ];
}

function observationOf(permit: Parameters<typeof close>[0], work: WorkId | null) {
  if (work === null) return [refuseObservation(permit)];
  return [insertObservationWork(permit, work), markObserved(permit), sendWork(permit, work)];
}

async function standing(
  op: Operation<"close_session">,
  subjectId: string,
  sessionId: string,
): Promise<{ readonly subject: KnownSubject; readonly session: SessionId }> {
  const { services, caller } = op;
  const subject = await namedSubject(op, subjectId);
  const row = subject && (await findSession(services, caller.principal, subject, sessionId));
  if (subject === null || row === null) {
    await op.foreign(JSON.stringify([subjectId, sessionId]));
    throw notFound();
  }
  return { subject, session: row.sessionId };
}
