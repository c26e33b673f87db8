import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { Unmet } from "../domain/unmet.js";
import { readEscalation } from "../storage/queries/escalation-read.js";
import { answerEscalation } from "../storage/queries/escalation-write.js";
import { wakeRun } from "../storage/queries/run-wake.js";
import { insertWorking } from "../storage/queries/working-write.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { sealAnswer } from "./escalations.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { resumeRunInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { newItemKey, sealWorking } from "./working-values.js";

export interface ResumeRunReply {
  readonly state: "active";
  readonly escalation_id: string;
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/**
 * A human answers what a run waits for, and lets it go on. The answer stays with the escalation; where the profile keeps
 * working memory it is a note too, so that the stages after it see it.
 */
export function resumeRun(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<ResumeRunReply> {
  return govern(services, caller, "resume_run", async (op) => {
    const { answer } = parseInput(resumeRunInput, body);
    refuseCredential(answer, "answer");
    refuseChainOfThought(answer, "answer");
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const expiresAt = idleEnd(pin, op.now);
    const note = { class: "note", key: newItemKey(), version: 1, value: answer } as const;
    return await services.store.transact(permit, async (tx) => {
      const [[open], seen] = await tx.send([readEscalation(permit), ...findRepeat(op, permit)]);
      refuseRepeat(seen);
      if (open === undefined || open.answeredAt !== null) throw new Unmet("not_waiting");
      const { escalationId } = open;
      const reply = {
        state: "active",
        escalation_id: escalationId,
        expires_at: expiresAt.toISOString(),
        decision: op.decision(),
      } as const;
      await tx.commit([
        ...keepReply(op, permit, reply),
        wakeRun(permit, pin.profileHash, expiresAt),
        answerEscalation(permit, {
          escalationId,
          answeredBy: caller.principal.ref,
          answerSealed: sealAnswer(key, pin, escalationId, answer),
        }),
        ...(pin.route.memory_profile.working === "none"
          ? []
          : [insertWorking(runScope(permit), [sealWorking(key, pin, note)])]),
        op.audit(permit, {
          reads: [{ kind: "escalation", ids: [escalationId] }],
          writes: [
            { kind: "run", ids: [run] },
            { kind: "escalation", ids: [escalationId] },
          ],
          ttl: runClock(pin, expiresAt),
        }),
      ]);
      return reply;
    });
  });
}
