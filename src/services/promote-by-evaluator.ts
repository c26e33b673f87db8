import type { Caller } from "./caller.js";
import { type PromoteReply, promoteDecided } from "./decided-candidate.js";
import { govern } from "./govern.js";
import { makeRepeatable } from "./idempotency.js";
import { promoteByEvaluatorInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { candidateOf } from "./known-candidates.js";
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
    const candidate = await candidateOf(op, candidateId);
    const { row, definition, subject, resource } = candidate;
    makeRepeatable(op, subject.key, [row.candidateId, body]);
    const permit = op.permit(resource, { field: definition, writer: row.origin, criterion });
    return await promoteDecided(op, permit, candidate, value_hash, {
      path: "evaluator",
      rule: criterion,
      expectedVersion: expected_version,
    });
  });
}
