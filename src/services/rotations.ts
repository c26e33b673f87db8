import { hoursAfter } from "../domain/clock.js";
import { MunimentError } from "../domain/errors.js";
import type { ErasureId, KeyId, SubjectId } from "../domain/ids.js";
import { type LedgerEntry, type LedgerLine, NO_MARKS } from "../domain/ledger.js";
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
  /** Of the new key. */
  readonly keyVersion: number;
  readonly at: Date;
}

/** A line of the ledger about a new data key: the rotation's id stands where an erasure's does. */
export function rotationLine({
  rotationId,
  subject,
  keyId,
  subjectMac,
  keyVersion,
  at,
}: Rotation): LedgerLine {
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
    ...NO_MARKS,
    keyVersion,
    at,
  };
}

/**
 * What a restored database holds may be sealed under older keys: the background seals it anew. Where it was broken off before
 * custody had the new key, it gets one: nothing is sealed under it yet.
 */
export async function repeatRotation<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  line: LedgerEntry,
): Promise<void> {
  const { subject, keyId, tenant } = line;
  const newest = await newestVersion(op.services, line);
  if (keyId !== null && newest !== null && newest < (line.keyVersion ?? 0))
    await op.services.keyring.rotateSubjectKey(tenant, subject, keyId);
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      setRotation(permit, line.at),
      followLedger(permit, line),
      op.audit(permit, { writes: [{ kind: "subject_key", ids: [line.subject] }] }),
    ]),
  );
}

/** The newest key that custody has of whom a line is about; null where there is none any more. */
async function newestVersion(
  { keyring }: Services,
  { tenant, subject, keyId }: LedgerEntry,
): Promise<number | null> {
  if (keyId === null) return null;
  keyring.refreshSubjectKey({ tenant, subject, keyId });
  return (await keyring.subjectKey(tenant, subject, keyId))?.version ?? null;
}

/**
 * Stops where custody lacks a key that a line speaks of which the database has followed: what was written since needs it. Throws
 * `unavailable`.
 */
export async function refuseMissingKeys(
  services: Services,
  lines: readonly LedgerEntry[],
): Promise<void> {
  for (const line of lines) {
    if (line.step !== "rotation" || line.keyVersion === null) continue;
    const newest = await newestVersion(services, line);
    if (newest === null || newest >= line.keyVersion) continue;
    throw new MunimentError(
      "unavailable",
      `this custody lacks key ${line.keyVersion} of subject ${line.subject}, which line ${line.seq} of the erasure ledger of tenant ` +
        `${line.tenant} speaks of: it was backed up while that key was made, bring back a newer one`,
    );
  }
}
