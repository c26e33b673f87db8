import { uuidv7 } from "uuidv7";
import { notFound } from "../domain/errors.js";
import { trustedId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import { findErasureOfPerson } from "../storage/queries/erasure-find.js";
import { requireUnheld } from "../storage/queries/hold.js";
import { requireKnownSchema } from "../storage/queries/migration-require.js";
import type { Caller } from "./caller.js";
import { closeErasure } from "./close-erasure.js";
import { memoryOf, nobody, removeSubject } from "./erasures.js";
import { lockLive } from "./forget-scope.js";
import { govern } from "./govern.js";
import { eraseSubjectInput } from "./inputs/erasure.js";
import { parseInput } from "./inputs/parse.js";
import { appendIntent, requestsOf } from "./intents.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Receipt } from "./receipts.js";
import { recognisedOfPerson } from "./recognised.js";
import type { Services } from "./services.js";
import { namedSubject } from "./settle.js";
import { forgetSubject, type KnownSubject } from "./subjects.js";

export interface EraseSubjectReply extends Receipt {
  readonly decision: DecisionReply;
}

/**
 * Forgets a person: first the intent, durable in the ledger; then the subject's end and all of its rows in one transaction;
 * then the key. Asked again it goes on where it was broken off, or answers with the receipt that stands.
 */
export function eraseSubject(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<EraseSubjectReply> {
  return govern(services, caller, "erase_subject", async (op) => {
    const { reason, basis } = parseInput(eraseSubjectInput, body);
    const externalId = parseExternalId(subjectId, "subject");
    const { tenant } = caller.principal;
    const { ledger } = services.keyring;
    const ledgerKey = await ledger.key(tenant);
    const subjectMac = ledgerKey.mac("subject", externalId);
    const known = await freshSubject(op, externalId);
    if (known === null) return await eraseAgain(op, externalId, subjectMac);
    const { subject, keyId } = known;
    op.aboutSubject(subject);
    op.relyOn(() => forgetSubject(services, caller.principal, subject));
    const permit = op.permit({ type: "memory", subject, keyId }, {});
    const erasure = {
      erasureId: trustedId<"ErasureId">(uuidv7()),
      subjectId: subject,
      keyId,
      subjectMac,
      reason,
      basis,
      scope: "subject" as const,
      target: subject,
      requestedAt: op.now,
    };
    await services.store.transact(permit, async (tx) => {
      await lockLive(tx, permit);
      await tx.send([requireKnownSchema(), requireUnheld(permit, null)]);
      const recognised = await recognisedOfPerson(
        { services, known, ledgerKey, erasure },
        tx,
        permit,
      );
      const requests = await requestsOf(tx, permit);
      // Nothing refuses from here on.
      const intents = await appendIntent(services, tenant, erasure, recognised, requests);
      await removeSubject(op, tx, permit, intents);
    });
    return { ...(await closeErasure(op, erasure)), decision: op.decision() };
  });
}

/** As the database has it now: a cached row could be of somebody whom another process has erased. */
async function freshSubject(
  op: Operation<"erase_subject">,
  externalId: string,
): Promise<KnownSubject | null> {
  const cached = await namedSubject(op, externalId);
  if (cached === null) return null;
  forgetSubject(op.services, op.caller.principal, cached.subject);
  return await namedSubject(op, externalId);
}

/** Somebody who isn't known: never was, or was erased. */
async function eraseAgain(
  op: Operation<"erase_subject">,
  externalId: string,
  subjectMac: string,
): Promise<EraseSubjectReply> {
  const { services, caller } = op;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findErasureOfPerson(permit, Buffer.from(subjectMac, "base64"))]),
  );
  if (row === undefined) {
    op.permit(nobody(), {});
    await op.foreign(externalId);
    throw notFound();
  }
  op.aboutSubject(row.subjectId);
  const allowed = op.permit(memoryOf(row), {});
  if (row.receipt === null) return { ...(await closeErasure(op, row)), decision: op.decision() };
  const reads = [{ kind: "erasure", ids: [row.erasureId] }];
  await services.store.transact(allowed, (tx) => tx.commit([op.audit(allowed, { reads })]));
  return { ...(row.receipt as unknown as Receipt), decision: op.decision() };
}
