import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { promoteByEvaluatorInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { candidateOf, standingOf } from "./known-candidates.js";
import type { PromoteReply } from "./promote-by-human.js";
import { promote } from "./promoting.js";
import type { Services } from "./services.js";

/**
 * Path 2: an evaluator says that a candidate passed the extraction criterion which the field names. Only for what a person
 * entered themselves, and never where people decide over the field.
 */
export function promoteByEvaluator(
  services: Services,
  caller: Caller,
  candidateId: string,
  body: unknown,
): Promise<PromoteReply> {
  return govern(services, caller, "promote_by_evaluator", async (op) => {
    const { value_hash, criterion, expected_version } = parseInput(promoteByEvaluatorInput, body);
    const { row, definition, subject, resource } = await candidateOf(op, candidateId);
    makeRepeatable(op, subject.key, [row.candidateId, body]);
    const permit = op.permit(resource, { field: definition, writer: row.origin, criterion });
    const standing = { ...standingOf(row), valueHash: Buffer.from(value_hash, "hex") };
    const promoted = promote(op, permit, subject.key, standing, {
      path: "evaluator",
      rule: criterion,
      expectedVersion: expected_version,
    });
    const reply: PromoteReply = {
      candidate_id: row.candidateId,
      field_id: row.fieldId,
      state: "promoted",
      promotion_id: promoted.promotionId,
      decision: op.decision(),
    };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        promoted.statement,
        op.audit(permit, { writes: promoted.writes, ttl: promoted.ttl }),
      ]),
    );
    return reply;
  });
}
