import type { HoldScope } from "../domain/erasure.js";
import { type HoldId, trustedId } from "../domain/ids.js";
import { type LedgerEntry, type LedgerLine, NO_MARKS } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import { type HoldRow, insertHold, releaseHold } from "../storage/queries/hold.js";
import { followLedger } from "../storage/queries/ledger-head.js";
import type { Operation } from "./operation.js";

/** What forbids to forget a person, or a part of what is known. No content, and no id from outside. */
export interface HoldReply {
  readonly hold_id: string;
  readonly subject_id: string;
  readonly covers: HoldScope;
  /** Internal id of what is covered; the subject's own for all of it. */
  readonly target: string;
  readonly basis: string;
  readonly placed_at: string;
  readonly released_at: string | null;
}

export function toHoldReply(row: Omit<HoldRow, "tenantId" | "placedBy" | "subjectMac">): HoldReply {
  return {
    hold_id: row.holdId,
    subject_id: row.subjectId,
    covers: row.scope,
    target: row.target,
    basis: row.basis,
    placed_at: row.placedAt.toISOString(),
    released_at: row.releasedAt?.toISOString() ?? null,
  };
}

/** A line of the ledger about a hold: the hold's id stands where an erasure's does. */
export function holdLine(
  hold: Omit<HoldRow, "tenantId" | "placedBy" | "releasedAt">,
  step: "hold" | "release",
  at: Date,
): LedgerLine {
  return {
    step,
    erasureId: trustedId<"ErasureId">(hold.holdId),
    reason: "policy",
    basis: hold.basis,
    scope: hold.scope,
    target: hold.target,
    subject: hold.subjectId,
    keyId: null,
    subjectMac: hold.subjectMac,
    ...NO_MARKS,
    at,
  };
}

/** Repeats what a line says of a hold, as after a restore. One that stands, or was released, stays so. */
export async function repeatHold<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  line: LedgerEntry,
): Promise<void> {
  const holdId = trustedId<"HoldId">(line.erasureId) satisfies HoldId;
  const { subjectMac, basis, target, at } = line;
  const scope = line.scope as HoldScope;
  const statement =
    line.step === "hold"
      ? insertHold(permit, {
          holdId,
          subjectMac,
          basis,
          scope,
          target,
          placedAt: at,
          placedBy: null,
        })
      : releaseHold(permit, holdId, { at, by: null });
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      statement,
      followLedger(permit, line),
      op.audit(permit, { writes: [{ kind: line.step, ids: [holdId] }] }),
    ]),
  );
}
