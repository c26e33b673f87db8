import { uuidv7 } from "uuidv7";
import type { Erasure } from "../domain/erasure.js";
import { must } from "../domain/errors.js";
import { type ErasureId, NIL_ID, trustedId } from "../domain/ids.js";
import type { LedgerEntry } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import type { MemoryResource } from "../policy/resources.js";
import { insertErasure } from "../storage/queries/erasure-insert.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import {
  deleteOfSubject,
  endSubject,
  lockSubject,
  SUBJECT_TABLES,
} from "../storage/queries/subject-end.js";
import {
  insertKnownRequests,
  insertRequestTombstones,
  insertTombstones,
} from "../storage/queries/tombstone-insert.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import type { Operation } from "./operation.js";

/** The erasure that a line of the ledger is about. */
export function erasureOf(entry: LedgerEntry): Erasure {
  const { erasureId, subject, keyId, subjectMac, reason, basis, scope, target, at } = entry;
  return {
    erasureId,
    subjectId: subject,
    keyId,
    subjectMac,
    reason,
    basis,
    scope,
    target,
    requestedAt: at,
  };
}

/** Stands for the key of a narrower erasure, which leaves the subject its own. */
const NO_KEY = trustedId<"KeyId">(NIL_ID);

/** What the policy is asked about. */
export function memoryOf({
  subjectId,
  keyId,
}: Pick<Erasure, "subjectId" | "keyId">): MemoryResource {
  return { type: "memory", subject: subjectId, keyId: keyId ?? NO_KEY };
}

/** The same where there is nobody: who may not erase hears the same of everybody. */
export function nobody(): MemoryResource {
  return { type: "memory", subject: trustedId<"SubjectId">(uuidv7()), keyId: NO_KEY };
}

/** By what is recognised what a line is about, and the requests that made it. */
export function tombstones(permit: Permit, intent: LedgerEntry): readonly Statement[] {
  const { erasureId, reason, at } = intent;
  const kinds = [
    ["item", intent.itemMacs],
    ["ahead", intent.aheadMacs],
  ] as const;
  const items = kinds.flatMap(([kind, macs]) => {
    const itemMacs = macs.map((mac) => Buffer.from(mac, "base64"));
    if (itemMacs.length === 0) return [];
    return [insertTombstones(permit, { erasureId, reason, kind, itemMacs, at })];
  });
  const requests = intent.requests.map(({ mac, until }) => ({
    mac: Buffer.from(mac, "base64"),
    until,
  }));
  if (requests.length === 0) return items;
  return [...items, insertKnownRequests(permit, { erasureId, reason, at }, requests)];
}

/**
 * Ends a subject, removes all that the database holds of it, and commits, with its audit row. From then on nobody reads or
 * writes anything of the subject, in whatever process. Done again, it finds nothing and changes nothing.
 */
export async function removeSubject<A extends AskedAction>(
  op: Operation<A>,
  tx: Transaction,
  permit: Permit,
  intents: readonly LedgerEntry[],
): Promise<void> {
  const erasure = erasureOf(must(intents[0], "line of the ledger"));
  const { erasureId, reason } = erasure;
  const isAsked = op.caller.principal.claims.kind !== "job";
  const [, , , ...counts] = await tx.send([
    lockSubject(permit),
    insertRequestTombstones(permit, erasureId, reason),
    endSubject(permit),
    ...SUBJECT_TABLES.map((table) => deleteOfSubject(permit, table)),
  ]);
  const removed = Object.fromEntries(
    SUBJECT_TABLES.map((table, place) => [table, counts[place]?.[0]?.removed ?? 0]),
  );
  await tx.commit([
    insertErasure(permit, {
      ...erasure,
      requestedBy: isAsked ? op.caller.principal.ref : null,
      removed,
      reached: null,
    }),
    insertTombstones(permit, {
      erasureId,
      reason,
      kind: "subject",
      itemMacs: [Buffer.from(erasure.subjectMac, "base64")],
      at: erasure.requestedAt,
    }),
    ...intents.flatMap((intent) => [...tombstones(permit, intent), followLedger(permit, intent)]),
    op.audit(permit, { writes: writesOf(erasureId, removed) }),
  ]);
}

export function writesOf(erasureId: ErasureId, removed: Readonly<Record<string, number>>) {
  const erased = Object.entries(removed).filter(([, count]) => count > 0);
  return [
    { kind: "erasure", ids: [erasureId] },
    ...erased.map(([table, count]) => ({ kind: `erased_${table}`, ids: [], count })),
  ];
}
