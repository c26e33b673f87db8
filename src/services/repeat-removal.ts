import type { LedgerEntry } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import { findErasure } from "../storage/queries/erasure-find.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { lockSubject } from "../storage/queries/subject-end.js";
import type { Transaction } from "../storage/store.js";
import { erasureOf, removeSubject, tombstones } from "./erasures.js";
import { commitRemoval } from "./forget-scope.js";
import { fieldOfTarget } from "./narrow-targets.js";
import type { Operation } from "./operation.js";
import { reachOf } from "./reach.js";
import { proposalsIn } from "./source-proposals.js";

/**
 * Does again what a line of the ledger says, whatever the database has of it: all of it after a restore, nothing where it was
 * done. What was corrected goes as a whole: the right text is nowhere but in the database that was lost. What was recorded after
 * the line wasn't meant; as far as hosts' clocks may differ, too much goes rather than too little.
 */
export async function repeatRemoval<A extends AskedAction>(
  op: Operation<A>,
  tx: Transaction,
  permit: Permit,
  intent: LedgerEntry,
): Promise<void> {
  const { scope, target } = intent;
  if (scope === "subject") return await removeSubject(op, tx, permit, [intent]);
  await tx.send([lockSubject(permit)]);
  const [[done]] = await tx.send([findErasure(permit, intent.erasureId)]);
  if (done !== undefined && intent.at <= done.requestedAt) {
    const writes = [{ kind: "erasure", ids: [intent.erasureId] }];
    await tx.commit([
      ...tombstones(permit, intent),
      followLedger(permit, intent),
      op.audit(permit, { writes }),
    ]);
    return;
  }
  const field = scope === "field" ? await fieldOfTarget(op.services, tx, permit, target) : null;
  const proposals = await proposalsIn(op.services, tx, permit, intent);
  const until = new Date(intent.at.getTime() + LIMITS.clocksApartSecondsMax * 1_000);
  const wanted = { scope, target, field, corrects: false, proposals, until };
  const reach = await reachOf(tx, permit, wanted);
  await commitRemoval(op, tx, permit, {
    erasure: erasureOf(intent),
    intents: [intent],
    reach,
    corrects: false,
    correction: [],
  });
}
