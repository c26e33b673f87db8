import { rejectCandidate as rejectRow } from "../storage/queries/candidate-decide.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { rejectCandidateInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { candidateOf } from "./known-candidates.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface RejectReply {
  readonly candidate_id: string;
  readonly field_id: string;
  readonly state: "rejected";
  readonly decision: DecisionReply;
}

/** A person turns a candidate down. Nothing is written, and the same may be proposed again. */
export function rejectCandidate(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<RejectReply> {
  return govern(services, caller, "reject_candidate", async (op) => {
    const { value_hash } = parseInput(rejectCandidateInput, body);
    const { row, definition, subject, resource } = await candidateOf(op, id);
    const { candidateId, fieldId } = row;
    makeRepeatable(op, subject.key, [candidateId, body]);
    const permit = op.permit(resource, { field: definition });
    const seen = { candidateId, valueHash: Buffer.from(value_hash, "hex") };
    const reply: RejectReply = {
      candidate_id: candidateId,
      field_id: fieldId,
      state: "rejected",
      decision: op.decision(),
    };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        rejectRow(permit, seen, caller.principal.ref),
        op.audit(permit, { writes: [{ kind: "candidate", ids: [candidateId] }] }),
      ]),
    );
    return reply;
  });
}
