import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
import { parseExternalId } from "../domain/input.js";
import { LIMITS } from "../domain/limits.js";
import { queueSubject } from "../storage/queries/session-observe-subject.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import { sendWork } from "../storage/queries/work-insert.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
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
  /** Asks for what this question had no room for; null where it had. */
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Queues the observation of what a subject said in the workspace and nobody has observed, open chats included: some sessions at once. */
export function observeSubject(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<ObserveSubjectReply> {
  return govern(services, caller, "observe_subject", async (op) => {
    const { imported, cursor } = parseInput(observeSubjectInput, body);
    const externalId = parseExternalId(subjectId, "subject");
    const known = await namedSubject(op, externalId);
    if (known === null) {
      await op.foreign(externalId);
      throw notFound();
    }
    const { subject, keyId, key } = known;
    op.aboutSubject(subject);
    op.relyOn(() => forgetSubject(services, caller.principal, subject));
    const permit = op.permit({ type: "memory", subject, keyId }, {});
    const list = ["observe_subject", subject, imported];
    const after = readCursor(key, caller.principal, list, cursor);
    const fresh = Array.from({ length: LIMITS.observeLeftOverMax }, () => uuidv7());
    const queued = await services.store.transact(permit, async (tx) => {
      const [, made] = await tx.send([
        touchSubject(subjectScope(permit)),
        queueSubject(permit, fresh, { imported, after }),
      ]);
      const ordered = made.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
      const sent = ordered.filter(({ isNew }) => isNew).map(({ workId }) => workId);
      await tx.commit([
        ...sent.map((workId) => sendWork(permit, workId)),
        op.audit(permit, { writes: [{ kind: "work", ids: sent }] }),
      ]);
      return ordered;
    });
    const last = queued.length === fresh.length ? queued.at(-1) : undefined;
    return {
      work_ids: queued.map(({ workId }) => workId),
      cursor: last === undefined ? null : makeCursor(key, caller.principal, list, last.sessionId),
      decision: op.decision(),
    };
  });
}
