import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import { keepReply } from "./idempotency.js";
import { type KnownCandidate, standingOf } from "./known-candidates.js";
import type { DecisionReply, Operation } from "./operation.js";
import { promote, type Ruling } from "./promoting.js";

export interface PromoteReply {
  readonly candidate_id: string;
  readonly field_id: string;
  /** `approved` where a second person has to approve it too before it is written. */
  readonly state: "promoted" | "approved";
  /** The row of the log; null where nothing was written yet. */
  readonly promotion_id: string | null;
  readonly decision: DecisionReply;
}

/** Writes a candidate that was decided on, for exactly the value of this hash (hex). One network round trip. */
export async function promoteDecided<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit<A>,
  { row, subject }: KnownCandidate,
  valueHash: string,
  ruling: Ruling,
): Promise<PromoteReply> {
  const standing = { ...standingOf(row), valueHash: Buffer.from(valueHash, "hex") };
  const promoted = promote(op, permit, subject.key, standing, ruling);
  const reply: PromoteReply = {
    candidate_id: row.candidateId,
    field_id: row.fieldId,
    state: "promoted",
    promotion_id: promoted.promotionId,
    decision: op.decision(),
  };
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      ...keepReply(op, permit, reply),
      promoted.statement,
      op.audit(permit, { writes: promoted.writes, ttl: promoted.ttl }),
    ]),
  );
  return reply;
}
