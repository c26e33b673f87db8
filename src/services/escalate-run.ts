import { uuidv7 } from "uuidv7";
import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { insertEscalation } from "../storage/queries/escalation-write.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { sealReason } from "./escalations.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { escalateRunInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { recordTrace } from "./run-traces.js";
import type { Services } from "./services.js";

export interface EscalateRunReply {
  readonly state: "waiting";
  readonly escalation_id: string;
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/** Stops the run until a human resumes it. Until then it takes no turns, stages or other writes. */
export function escalateRun(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<EscalateRunReply> {
  return govern(services, caller, "escalate_run", async (op) => {
    const { expected_version: expectedVersion, ...reason } = parseInput(escalateRunInput, body);
    const text = JSON.stringify(reason);
    refuseCredential(text, "reason");
    refuseChainOfThought(text, "reason");
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const escalationId = uuidv7();
    const expiresAt = idleEnd(pin, op.now);
    const reply = {
      state: "waiting",
      escalation_id: escalationId,
      expires_at: expiresAt.toISOString(),
      decision: op.decision(),
    } as const;
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin, expiresAt, expectedVersion, byAgent: true }),
        insertEscalation(permit, {
          escalationId,
          raisedBy: caller.principal.claims.kind,
          reasonSealed: sealReason(key, pin, escalationId, reason),
        }),
        recordTrace(services, permit, key, { outcome: "waiting", reason: "escalated" }),
        op.audit(permit, {
          writes: [
            { kind: "run", ids: [run] },
            { kind: "escalation", ids: [escalationId] },
          ],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    return reply;
  });
}
