import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import type { Statement } from "../storage/sql.js";
import { keepReply } from "./idempotency.js";
import type { DecisionReply, Operation } from "./operation.js";
import { type Promoted, type Proposal, promote, propose, type Ruling } from "./promoting.js";

export interface WrittenReply {
  readonly field_id: string;
  /** The row of the log that wrote it. */
  readonly promotion_id: string;
  readonly decision: DecisionReply;
}

/** Proposes a value and decides for it at once: it has a candidate and a row of the log like every other. */
export function proposeAndPromote<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  proposal: Proposal,
  ruling: Ruling,
): Promoted & { readonly statements: readonly Statement[] } {
  const { standing, statement } = propose(op, permit, proposal);
  const promoted = promote(op, permit, proposal.key, standing, ruling);
  return { ...promoted, statements: [statement("open"), promoted.statement] };
}

/** The same as the whole of an operation. `before` goes first, such as a run's touch. */
export async function writeValue<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  proposal: Proposal,
  ruling: Ruling,
  before: readonly Statement[] = [],
): Promise<WrittenReply> {
  const { promotionId, statements, writes, ttl } = proposeAndPromote(op, permit, proposal, ruling);
  const reply: WrittenReply = {
    field_id: proposal.definition.field_id,
    promotion_id: promotionId,
    decision: op.decision(),
  };
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      ...keepReply(op, permit, reply),
      ...before,
      ...statements,
      op.audit(permit, { writes, ttl }),
    ]),
  );
  return reply;
}
