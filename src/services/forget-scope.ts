import type { Erasure } from "../domain/erasure.js";
import type { LedgerEntry } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction } from "../policy/question.js";
import { insertErasure } from "../storage/queries/erasure-insert.js";
import type { ErasedReach } from "../storage/queries/erasure-reached.js";
import { requireUnheld } from "../storage/queries/hold.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import { requireKnownSchema } from "../storage/queries/migration-require.js";
import { purgeSubject } from "../storage/queries/reach-delete-whole.js";
import { lockSubject } from "../storage/queries/subject-end.js";
import { readSubject } from "../storage/queries/subject-read.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { tombstones, writesOf } from "./erasures.js";
import { forgetReach } from "./forget-reach.js";
import type { Operation } from "./operation.js";
import { type Reached, type ReachTarget, reachOf } from "./reach.js";

/** Waits for whoever writes about the subject, and makes those wait who come. Refuses one that has ended meanwhile. */
export async function lockLive(tx: Transaction, permit: Permit): Promise<void> {
  await tx.send([lockSubject(permit)]);
  const [[live]] = await tx.send([readSubject(permit)]);
  if (live === undefined) throw new Unmet("subject_gone");
}

/** What hangs on the target, where no hold covers any of it. Under the lock. */
export async function unheldReach(
  tx: Transaction,
  permit: Permit,
  target: ReachTarget,
): Promise<Reached> {
  const reach = await reachOf(tx, permit, target);
  await tx.send([requireKnownSchema(), requireUnheld(permit, reach.covered)]);
  return reach;
}

export interface ScopeRemoval {
  readonly erasure: Erasure;
  /** Its lines in the ledger: more than one where many items mayn't come again. */
  readonly intents: readonly LedgerEntry[];
  readonly reach: Reached;
  readonly corrects: boolean;
  /** The text that stands instead of a corrected one. Behind the purge. */
  readonly correction: readonly Statement[];
}

/** Removes it, with its tombstones, its record and its audit row, and commits. */
export async function commitRemoval<A extends AskedAction>(
  op: Operation<A>,
  tx: Transaction,
  permit: Permit,
  { erasure, intents, reach, corrects, correction }: ScopeRemoval,
): Promise<void> {
  const { erasureId, reason } = erasure;
  const isAsked = op.caller.principal.claims.kind !== "job";
  const { removed, again } = await forgetReach(tx, permit, {
    erasureId,
    reason,
    reach,
    corrects,
  });
  await tx.commit([
    purgeSubject(permit),
    ...correction,
    ...again,
    insertErasure(permit, {
      ...erasure,
      requestedBy: isAsked ? op.caller.principal.ref : null,
      removed,
      reached: erasedReach(reach, corrects),
    }),
    ...intents.flatMap((intent) => [...tombstones(permit, intent), followLedger(permit, intent)]),
    op.audit(permit, { writes: writesOf(erasureId, removed) }),
  ]);
}

/** What the receipt's search, and each later one, looks for. A corrected turn stays, with another text. */
function erasedReach(reach: Reached, corrects: boolean): ErasedReach {
  const { turns, events, observations, episodes, candidates, knowing, goesOn } = reach;
  const gone = corrects ? [] : turns;
  const ids = [...gone, ...events, ...observations, ...episodes, ...candidates];
  return { ids, knowing, goesOn };
}
