import { MunimentError, notFound } from "../domain/errors.js";
import type { RunId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import { findRepeat, makeRepeatable, refuseRepeat } from "./idempotency.js";
import type { Operation } from "./operation.js";
import { pinOfNothing } from "./pinning.js";
import { namedSubject } from "./settle.js";
import { findSession } from "./subjects.js";

/** The session's active run, whatever its state. None: the session has no pin to stick to. */
export async function activeRun(
  op: Operation<"take_turn">,
  subjectId: string,
  sessionId: string,
  request: unknown,
): Promise<RunId> {
  const { services, caller } = op;
  const subject = await namedSubject(op, subjectId);
  const session = subject && (await findSession(services, caller.principal, subject, sessionId));
  if (subject === null || session === null) {
    await op.foreign(JSON.stringify([subjectId, sessionId]));
    throw notFound();
  }
  if (session.activeRunId === null) {
    // Only who may take a turn in the session hears that it is there.
    const { tenant, workspace } = caller.principal;
    const place = { ...subject, tenant, workspace, session: session.sessionId };
    const permit = op.permit({ type: "run", pin: pinOfNothing(place) }, {});
    await answerEnded(op, permit, subject.key, request);
    throw new MunimentError("run_ended", "the session has no active run: start one");
  }
  return session.activeRunId;
}

/** A turn that was taken before the run ended is answered as it was. */
async function answerEnded(
  op: Operation<"take_turn">,
  permit: Permit<"take_turn">,
  key: SubjectKey,
  request: unknown,
): Promise<void> {
  makeRepeatable(op, key, request, null);
  if (op.repeatable === null) return;
  const [seen] = await op.services.store.transact(permit, (tx) =>
    tx.commit(findRepeat(op, permit)),
  );
  refuseRepeat(seen);
}
