import { notFound } from "../domain/errors.js";
import { nobody } from "./erasures.js";
import type { Operation } from "./operation.js";
import { namedSubject } from "./settle.js";
import { forgetSubject, type KnownSubject } from "./subjects.js";

/** The live person that an operation of who answers for privacy is about. Whoever isn't there is asked about as nobody: not found, or denied. */
export async function askedPerson(
  op: Operation<"erase_scope" | "place_hold" | "rotate_key">,
  externalId: string,
): Promise<KnownSubject> {
  const known = await namedSubject(op, externalId);
  if (known === null) {
    op.permit(nobody(), {});
    await op.foreign(externalId);
    throw notFound();
  }
  op.aboutSubject(known.subject);
  op.relyOn(() => forgetSubject(op.services, op.caller.principal, known.subject));
  return known;
}
