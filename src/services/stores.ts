import { notFound } from "../domain/errors.js";
import { parseExternalId } from "../domain/input.js";
import type { AskedAction, Question } from "../policy/question.js";
import type { StoreResource } from "../policy/resources.js";
import type { Operation } from "./operation.js";
import { namedSubject, settleSubject } from "./settle.js";
import { forgetSubject, type KnownSubject } from "./subjects.js";

/** One subject's store with the subject's key at hand. */
export interface KnownStore {
  readonly subject: KnownSubject;
  readonly resource: StoreResource;
}

/** The store of the subject that a path names, as the caller's workspace keeps it. */
export async function storeOf<A extends AskedAction>(
  op: Operation<A>,
  subjectId: string,
): Promise<KnownStore> {
  const externalId = parseExternalId(subjectId, "subject");
  const subject = await namedSubject(op, externalId);
  if (subject === null) {
    await op.foreign(externalId);
    throw notFound();
  }
  return knownStore(op, subject, op.caller.principal.workspace);
}

/** The same, made where the subject is new and the policy allows the operation on its store. */
export async function settledStore<A extends AskedAction>(
  op: Operation<A>,
  subjectId: string,
  context: Question<A>["context"],
): Promise<KnownStore> {
  const { workspace } = op.caller.principal;
  const externalId = parseExternalId(subjectId, "subject");
  const subject = await settleSubject(op, externalId, ({ subject: id, keyId }) => ({
    resource: { type: "store", subject: id, keyId, workspace } as Question<A>["resource"],
    context,
  }));
  return knownStore(op, subject, workspace);
}

export function knownStore<A extends AskedAction>(
  op: Operation<A>,
  subject: KnownSubject,
  workspace: StoreResource["workspace"],
): KnownStore {
  const { services, caller } = op;
  op.aboutSubject(subject.subject);
  op.relyOn(() => forgetSubject(services, caller.principal, subject.subject));
  const { subject: id, keyId } = subject;
  return { subject, resource: { type: "store", subject: id, keyId, workspace } };
}
