import { hoursAfter } from "../domain/clock.js";
import type { ErasureId, KeyId, SubjectId } from "../domain/ids.js";
import type { LedgerEntry, LedgerLine } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import { setRotation } from "../storage/queries/key-rotation.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";

/** When the keys before one that was made at `rotatedAt` are destroyed. */
export function keptUntil({ retention }: Pick<Services, "retention">, rotatedAt: Date): Date {
  return hoursAfter(rotatedAt, retention.keyKeepDays * 24);
}

export interface Rotation {
  readonly rotationId: ErasureId;
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly subjectMac: string;
  readonly at: Date;
}

/** A line of the ledger about a new data key: the rotation's id stands where an erasure's does. */
export function rotationLine({ rotationId, subject, keyId, subjectMac, at }: Rotation): LedgerLine {
  return {
    step: "rotation",
    erasureId: rotationId,
    reason: "policy",
    basis: "legal_duty",
    scope: "subject",
    target: subject,
    subject,
    keyId,
    subjectMac,
    itemMacs: [],
    aheadMacs: [],
    requests: [],
    at,
  };
}

/** What a restored database holds may be sealed under older keys: the background seals it anew. */
export async function repeatRotation<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  line: LedgerEntry,
): Promise<void> {
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      setRotation(permit, line.at),
      followLedger(permit, line),
      op.audit(permit, { writes: [{ kind: "subject_key", ids: [line.subject] }] }),
    ]),
  );
}
