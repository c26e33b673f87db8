import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
import { parseExternalId } from "../domain/input.js";
import { LIMITS } from "../domain/limits.js";
import { queueSubject } from "../storage/queries/session-observe.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import { sendWork } from "../storage/queries/work-insert.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { observeSubjectInput } from "./inputs/observation.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { namedSubject } from "./settle.js";
import { forgetSubject } from "./subjects.js";

export interface ObserveSubjectReply {
  /** A job for each session in which something is left to observe. */
  readonly work_ids: readonly string[];
  readonly decision: DecisionReply;
}

/** Queues the observation of all that a subject said in the workspace and nobody has observed, open chats included. */
export function observeSubject(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<ObserveSubjectReply> {
  return govern(services, caller, "observe_subject", async (op) => {
    const { imported } = parseInput(observeSubjectInput, body);
    const externalId = parseExternalId(subjectId, "subject");
    const known = await namedSubject(op, externalId);
    if (known === null) {
      await op.foreign(externalId);
      throw notFound();
    }
    const { subject, keyId } = known;
    op.aboutSubject(subject);
    op.relyOn(() => forgetSubject(services, caller.principal, subject));
    const permit = op.permit({ type: "memory", subject, keyId }, {});
    const fresh = Array.from({ length: LIMITS.observeLeftOverMax }, () => uuidv7());
    const ids = await services.store.transact(permit, async (tx) => {
      const [, queued] = await tx.send([
        touchSubject(subjectScope(permit)),
        queueSubject(permit, fresh, imported),
      ]);
      const made = queued.map(({ workId }) => workId);
      await tx.commit([
        ...made.map((id) => sendWork(permit, id, uuidv7())),
        op.audit(permit, { writes: [{ kind: "work", ids: made }] }),
      ]);
      return made;
    });
    return { work_ids: ids, decision: op.decision() };
  });
}
