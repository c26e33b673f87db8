import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
import { type SessionId, trustedId } from "../domain/ids.js";
import type { Pin } from "../domain/pin.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction, Question } from "../policy/question.js";
import { insertExternalId } from "../storage/queries/external-id-insert.js";
import { insertSession } from "../storage/queries/session-insert.js";
import { insertSubject } from "../storage/queries/subject-insert.js";
import { identify } from "./caller.js";
import { amongFirstWriters } from "./first-writers.js";
import { refuseErasedRequest } from "./idempotency.js";
import type { Operation } from "./operation.js";
import {
  externalLookup,
  externalPlace,
  findSession,
  findSubject,
  forgetSubject,
  type KnownSubject,
} from "./subjects.js";

/** Ids of a place that may not exist yet: what the policy is asked about before anything is made. */
export type Ask<A extends AskedAction> = (
  place: Pick<Pin, "subject" | "keyId" | "session">,
) => Pick<Question<A>, "resource" | "context">;

export interface Settled {
  readonly subject: KnownSubject;
  readonly session: SessionId;
}

/** The subject that a path names. A bound credential may name its own alone. */
export async function namedSubject<A extends AskedAction>(
  op: Operation<A>,
  externalId: string,
): Promise<KnownSubject | null> {
  const { claims } = op.caller.principal;
  if (claims.kind === "agent" || (claims.subject !== undefined && claims.subject !== externalId)) {
    await op.foreign(externalId);
    throw notFound();
  }
  return await findSubject(op.services, op.caller.principal, externalId);
}

/**
 * Finds the subject and its session, and makes what is missing where the policy allows the operation on it.
 * Safe under races: the mapping row of the external id decides, the loser takes the winner's. A cached subject that has
 * ended is forgotten and looked up again.
 */
export async function settle<A extends AskedAction>(
  op: Operation<A>,
  subjectId: string,
  sessionId: string,
  ask: Ask<A>,
): Promise<Settled> {
  return amongFirstWriters(async () => {
    const subject =
      (await namedSubject(op, subjectId)) ?? (await makeSubject(op, subjectId, sessionId, ask));
    const session = await findSession(op.services, op.caller.principal, subject, sessionId);
    await adoptMade(op, session !== null);
    if (session !== null) return { subject, session: session.sessionId };
    return { subject, session: await makeSession(op, subject, sessionId, ask) };
  });
}

/** Finds the subject, and makes it where it is new and the policy allows the operation on it. Safe under races as `settle` is. */
export async function settleSubject<A extends AskedAction>(
  op: Operation<A>,
  subjectId: string,
  ask: Ask<A>,
): Promise<KnownSubject> {
  return amongFirstWriters(
    async () =>
      (await namedSubject(op, subjectId)) ?? (await makeSubject(op, subjectId, null, ask)),
  );
}

/** Subject or session of a bound credential were made by another request since this caller was identified. */
async function adoptMade<A extends AskedAction>(
  op: Operation<A>,
  hasSession: boolean,
): Promise<void> {
  const { bound, principal } = op.caller;
  const { claims } = principal;
  const lacksSubject = claims.subject !== undefined && bound.subject === undefined;
  const lacksSession = claims.session !== undefined && bound.session === undefined && hasSession;
  if (lacksSubject || lacksSession) op.adopt(await identify(op.services, claims, op.caller));
}

async function makeSubject<A extends AskedAction>(
  op: Operation<A>,
  externalId: string,
  sessionId: string | null,
  ask: Ask<A>,
): Promise<KnownSubject> {
  const { services, caller } = op;
  const { tenant, claims } = caller.principal;
  const subject = trustedId<"SubjectId">(uuidv7());
  const keyId = trustedId<"KeyId">(uuidv7());
  const session = trustedId<"SessionId">(uuidv7());
  // A bound credential has named this subject itself: it can't be bound to a row that isn't there yet.
  // Nor to another session than the one that is asked for.
  if (claims.subject !== undefined)
    op.adopt({
      ...caller,
      bound: claims.session === sessionId ? { subject, session } : { subject },
    });
  const { resource, context } = ask({ subject, keyId, session });
  const permit = op.permit(resource, context);
  const key = await services.keyring.createSubjectKey(tenant, subject, keyId);
  const lookup = (await services.keyring.tenantKey(tenant)).mac("subject", externalId);
  const sealed = key.seal(externalPlace("subject", lookup, subject), externalId);
  try {
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...refuseErasedRequest(op, permit),
        insertSubject(permit, subject, keyId),
        insertExternalId(permit, { kind: "subject", lookup, subject, internalId: subject, sealed }),
        op.auditStep(permit, { writes: [{ kind: "subject", ids: [subject] }] }),
      ]),
    );
  } catch (error) {
    if (error instanceof Unmet) await services.keyring.destroySubjectKey(tenant, subject, keyId);
    if (claims.subject !== undefined) op.adopt(caller);
    throw error;
  }
  if (claims.subject !== undefined) op.adopt(await identify(services, claims, caller));
  return { subject, keyId, key };
}

async function makeSession<A extends AskedAction>(
  op: Operation<A>,
  subject: KnownSubject,
  externalId: string,
  ask: Ask<A>,
): Promise<SessionId> {
  const { services, caller } = op;
  const { claims } = caller.principal;
  const session = trustedId<"SessionId">(uuidv7());
  if (claims.session !== undefined && claims.session === externalId) {
    op.adopt({ ...caller, bound: { subject: subject.subject, session } });
  }
  const { resource, context } = ask({ subject: subject.subject, keyId: subject.keyId, session });
  const permit = op.permit(resource, context);
  const lookup = externalLookup(subject.key, caller.principal.workspace, "session", externalId);
  const sealed = subject.key.seal(externalPlace("session", lookup, session), externalId);
  try {
    await services.store.transact(permit, (tx) =>
      tx.commit([
        insertSession(permit, session),
        insertExternalId(permit, {
          kind: "session",
          lookup,
          subject: subject.subject,
          internalId: session,
          sealed,
        }),
        op.auditStep(permit, { writes: [{ kind: "session", ids: [session] }] }),
      ]),
    );
  } catch (error) {
    op.adopt(caller);
    if (error instanceof Unmet && error.code === "subject_gone")
      await forgetEnded(op, subject.subject);
    throw error;
  }
  return session;
}

/** A credential that is bound to the subject is bound to whoever stands behind its external id now. */
async function forgetEnded<A extends AskedAction>(
  op: Operation<A>,
  subject: KnownSubject["subject"],
): Promise<void> {
  const { services, caller } = op;
  const { claims } = caller.principal;
  forgetSubject(services, caller.principal, subject);
  if (claims.subject !== undefined) op.adopt(await identify(services, claims, caller));
}
