import { notFound } from "../domain/errors.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { ClaimedWork } from "../storage/queries/work-claim.js";
import type { Caller } from "./caller.js";
import type { Services } from "./services.js";

/** The key of the person whom a job is about. Throws `not_found` where they were erased meanwhile. */
export async function workKey(
  { keyring }: Services,
  { principal }: Caller,
  { subjectId, keyId }: Pick<ClaimedWork, "subjectId" | "keyId">,
): Promise<SubjectKey> {
  const key = await keyring.subjectKey(principal.tenant, subjectId, keyId);
  if (key === null) throw notFound();
  return key;
}
