import { notFound } from "../../domain/errors.js";
import { parseExternalId } from "../../domain/input.js";
import type { AskedAction } from "../../policy/question.js";
import type { MemoryResource } from "../../policy/resources.js";
import { nobody } from "../erasures.js";
import type { Operation } from "../operation.js";
import { namedSubject } from "../settle.js";
import { forgetSubject, type KnownSubject } from "../subjects.js";

/** A person with the whole of their memory, as the policy is asked about it. */
export interface KnownMemory {
  readonly externalId: string;
  readonly subject: KnownSubject;
  readonly resource: MemoryResource;
}

/** The memory of the subject that a path names, in all workspaces. */
export async function memoryOf<A extends AskedAction>(
  op: Operation<A>,
  subjectId: string,
): Promise<KnownMemory> {
  const externalId = parseExternalId(subjectId, "subject");
  const subject = await namedSubject(op, externalId);
  if (subject === null) {
    // Who may not hears the same of everybody.
    op.permit(nobody(), {});
    await op.foreign(externalId);
    throw notFound();
  }
  return knownMemory(op, externalId, subject);
}

export function knownMemory<A extends AskedAction>(
  op: Operation<A>,
  externalId: string,
  subject: KnownSubject,
): KnownMemory {
  const { services, caller } = op;
  op.aboutSubject(subject.subject);
  op.relyOn(() => forgetSubject(services, caller.principal, subject.subject));
  const { subject: id, keyId } = subject;
  return { externalId, subject, resource: { type: "memory", subject: id, keyId } };
}
