import type { TurnId } from "../domain/ids.js";
import { isQuarantined } from "../domain/origin.js";
import type { Permit } from "../domain/permit.js";
import type { TtlPolicy } from "../domain/trace.js";
import type { AskedAction } from "../policy/question.js";
import { type CandidateState, findStandingCandidate } from "../storage/queries/candidate-find.js";
import { deleteOverdueCandidates } from "../storage/queries/candidate-insert.js";
import { requireTurns } from "../storage/queries/turn-require.js";
import type { Statement } from "../storage/sql.js";
import { hex } from "./field-values.js";
import { findRepeat, keepReply, refuseRepeat } from "./idempotency.js";
import type { DecisionReply, Operation } from "./operation.js";
import { type Proposal, propose } from "./promoting.js";

export interface FiledReply {
  readonly candidate_id: string;
  readonly field_id: string;
  /** What a decision has to name: it counts for this value alone. */
  readonly value_hash: string;
  /** `quarantined` where nobody vouches for the value: only a person may decide on it. */
  readonly state: CandidateState;
  /** False where the same value from the same kind of source waits already, or the same source proposed it before: nothing was added. */
  readonly filed: boolean;
  readonly decision: DecisionReply;
}

export interface Filing {
  readonly proposal: Proposal;
  readonly evidence: readonly TurnId[];
  /** Advances the subject, and the run where the value comes from one. */
  readonly touch: Statement;
  /** What has to hold, before anything is written. */
  readonly expects?: readonly Statement[];
  /** What mayn't come again. Behind the touch: who forgets something of the subject was waited for, and is seen. */
  readonly unforgotten?: readonly Statement[];
  readonly ttl?: TtlPolicy;
}

/** Files a candidate. Repeating a proposal that waits adds nothing, however often it is said. */
export async function fileCandidate<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  { proposal, evidence, touch, expects = [], unforgotten = [], ttl }: Filing,
): Promise<FiledReply> {
  const { origin, sessionKey, definition } = proposal;
  const { standing, statement } = propose(op, permit, proposal);
  const { fieldId, valueHash } = standing;
  return await op.services.store.transact(permit, async (tx) => {
    const wanted = { fieldId, sessionKey, origin, valueHash, candidateId: standing.candidateId };
    const [[waiting], seen] = await tx.send([
      findStandingCandidate(permit, wanted),
      ...findRepeat(op, permit),
    ]);
    refuseRepeat(seen);
    const state = isQuarantined(origin) ? "quarantined" : "open";
    const candidateId = waiting?.candidateId ?? standing.candidateId;
    const reply: FiledReply = {
      candidate_id: candidateId,
      field_id: definition.field_id,
      value_hash: hex(valueHash),
      state: waiting?.state ?? state,
      filed: waiting === undefined,
      decision: op.decision(),
    };
    const touched = [{ kind: "candidate", ids: [candidateId] }];
    await tx.commit([
      ...expects,
      ...keepReply(op, permit, reply),
      touch,
      ...unforgotten,
      ...(evidence.length === 0 ? [] : [requireTurns(permit, evidence)]),
      ...(waiting === undefined
        ? [deleteOverdueCandidates(permit, fieldId), statement(state, evidence)]
        : []),
      op.audit(permit, {
        ...(waiting === undefined ? { writes: touched } : { reads: touched }),
        ...(ttl === undefined ? {} : { ttl }),
      }),
    ]);
    return reply;
  });
}
