import { notFound } from "../domain/errors.js";
import { type FieldDefinition, needsFourEyes } from "../domain/field.js";
import { type CandidateId, isUuid, trustedId } from "../domain/ids.js";
import type { AskedAction } from "../policy/question.js";
import { type CandidateRow, findCandidate } from "../storage/queries/candidate-find.js";
import { definitionAt } from "./definitions.js";
import type { Standing } from "./field-values.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";
import { type KnownStore, knownStore } from "./stores.js";

/** A candidate with whom and which field it is about. */
export interface KnownCandidate extends KnownStore {
  readonly row: CandidateRow;
  readonly definition: FieldDefinition;
}

/**
 * A candidate of the caller's tenant, by its id as it came from outside. What never changes of it may come from the cache;
 * where two people have to approve it is read anew, for the approval that it may have.
 */
export async function candidateOf<A extends AskedAction>(
  op: Operation<A>,
  id: string,
): Promise<KnownCandidate> {
  const row = isUuid(id) ? await findRow(op, trustedId<"CandidateId">(id)) : undefined;
  const { keyring } = op.services;
  const key =
    row && (await keyring.subjectKey(op.caller.principal.tenant, row.subjectId, row.keyId));
  if (row === undefined || key === undefined || key === null) {
    await op.foreign(id);
    throw notFound();
  }
  const subject = { subject: row.subjectId, keyId: row.keyId, key };
  const definition = await definitionAt(op, row.fieldId, row.definitionVersion);
  if (!needsFourEyes(definition)) rememberCandidate(op.services, row);
  return { ...knownStore(op, subject, row.workspaceId), row, definition };
}

export function rememberCandidate(services: Services, row: CandidateRow): void {
  services.caches.candidates.set(cacheKey(row.tenantId, row.candidateId), row);
}

async function findRow<A extends AskedAction>(
  { services, caller }: Operation<A>,
  candidate: CandidateId,
): Promise<CandidateRow | undefined> {
  const known = services.caches.candidates.get(cacheKey(caller.principal.tenant, candidate));
  if (known !== undefined) return known;
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findCandidate(permit, candidate)]),
  );
  return row;
}

/** What the candidate's seal is bound to. */
export function standingOf(row: CandidateRow): Standing {
  return { ...row, source: row.origin };
}

function cacheKey(tenant: string, candidate: CandidateId): string {
  return `${tenant}/${candidate}`;
}
