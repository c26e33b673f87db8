import type { Erasure } from "../domain/erasure.js";
import { must } from "../domain/errors.js";
import type { LedgerEntry } from "../domain/ledger.js";
import type { AskedAction } from "../policy/question.js";
import { findErasure } from "../storage/queries/erasure-find.js";
import { closeErasure as closeRow } from "../storage/queries/erasure-insert.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { forgetErased } from "./forget-subject.js";
import { lineOf } from "./intents.js";
import type { Operation } from "./operation.js";
import { makeReceipt, type Receipt } from "./receipts.js";
import { searchErased } from "./search-scope.js";

/**
 * The steps of an erasure after its rows are gone: the key is destroyed, the ledger's entry closed, and the receipt made of
 * what a search still finds; where it finds something, the erasure stays open. `closedBy` is the line that closes it in the
 * ledger, where there is one. Broken off anywhere, it is done again from its beginning. `op` has asked about the subject.
 */
export async function closeErasure<A extends AskedAction>(
  op: Operation<A>,
  erasure: Erasure,
  closedBy: LedgerEntry | null = null,
): Promise<Receipt> {
  const { services, caller } = op;
  const { tenant, claims } = caller.principal;
  const { erasureId, subjectId, keyId } = erasure;
  // The transaction has committed: from here on at the latest nothing is retrievable.
  const notRetrievableAt = services.clock.now();
  if (keyId !== null) await services.keyring.destroySubjectKey(tenant, subjectId, keyId);
  forgetErased(services, tenant, subjectId);
  const keysDestroyedAt = keyId === null ? null : services.clock.now();
  const { ledger } = services.keyring;
  const [closed] =
    closedBy === null
      ? await ledger.append(tenant, [lineOf(erasure, "closed", services.clock.now())])
      : [closedBy];
  const entry = must(closed, "line of the ledger");
  const key = await ledger.key(tenant);
  const permit = op.repermit();
  return await services.store.transact(permit, async (tx) => {
    const search = await searchErased(services, tx, permit, erasure);
    const [[row]] = await tx.send([findErasure(permit, erasureId)]);
    const { removed, receipt: standing } = must(row, "erasure");
    // Somebody else has closed it meanwhile: there is one receipt of an erasure.
    if (standing !== null) return standing as unknown as Receipt;
    const receipt = makeReceipt(key, {
      erasure: { ...erasure, removed },
      tenant: claims.tenant,
      notRetrievableAt,
      keysDestroyedAt,
      search,
      ledger: entry,
      policySet: services.policy.policySetHash,
    });
    // What is left keeps it open: each start, and whoever asks again, looks again.
    const isClean = search.stores.every(({ found }) => found === 0);
    await tx.commit([
      ...(isClean ? [closeRow(permit, erasureId, receipt)] : []),
      followLedger(permit, entry),
      op.auditStep(permit, { writes: [{ kind: "receipt", ids: [erasureId] }] }),
    ]);
    return receipt;
  });
}
