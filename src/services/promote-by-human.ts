import { needsFourEyes } from "../domain/field.js";
import { approvedWriter } from "../domain/origin.js";
import type { Permit } from "../domain/permit.js";
import { approveCandidate } from "../storage/queries/candidate-decide.js";
import type { Caller } from "./caller.js";
import { type PromoteReply, promoteDecided } from "./decided-candidate.js";
import { actorName, proposerPlace } from "./field-values.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { promoteByHumanInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { candidateOf, type KnownCandidate, standingOf } from "./known-candidates.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";

/**
 * Path 1: a person approves a candidate, for exactly the value that they saw. Where the field needs four eyes, the first
 * approval is noted and the second one, of another person, writes. One network round trip warm, two with four eyes.
 */
export function promoteByHuman(
  services: Services,
  caller: Caller,
  candidateId: string,
  body: unknown,
): Promise<PromoteReply> {
  return govern(services, caller, "promote_by_human", async (op) => {
    const input = parseInput(promoteByHumanInput, body);
    const candidate = await candidateOf(op, candidateId);
    const { row, definition, subject, resource } = candidate;
    makeRepeatable(op, subject.key, [row.candidateId, body]);
    const permit = op.permit(resource, {
      field: definition,
      writer: approvedWriter(row.origin),
      approvedByCaller: row.approverRef === caller.principal.ref,
    });
    if (needsFourEyes(definition) && row.approverRef === null)
      return await approve(op, permit, candidate, Buffer.from(input.value_hash, "hex"));
    return await promoteDecided(op, permit, candidate, input.value_hash, {
      path: "human",
      rule: "review",
      approver: row.approverRef,
      expectedVersion: input.expected_version,
    });
  });
}

async function approve(
  op: Operation<"promote_by_human">,
  permit: Permit<"promote_by_human">,
  { row, subject }: KnownCandidate,
  valueHash: Uint8Array,
): Promise<PromoteReply> {
  const { candidateId, fieldId } = row;
  const reply: PromoteReply = {
    candidate_id: candidateId,
    field_id: fieldId,
    state: "approved",
    promotion_id: null,
    decision: op.decision(),
  };
  const { principal } = op.caller;
  const place = proposerPlace("approver_sealed", standingOf(row));
  const approver = { ref: principal.ref, sealed: subject.key.seal(place, actorName(principal)) };
  await op.services.store.transact(permit, (tx) =>
    tx.commit([
      ...keepReply(op, permit, reply),
      approveCandidate(permit, { candidateId, valueHash }, approver),
      op.audit(permit, { writes: [{ kind: "approval", ids: [candidateId] }] }),
    ]),
  );
  return reply;
}
