import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { currentStage } from "./current-stage.js";
import { govern } from "./govern.js";
import { parseInput } from "./inputs/parse.js";
import { useToolInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";

export interface UseToolReply {
  readonly tool: string;
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/**
 * The gate before each call of one of the application's tools: the pinned route must list it for this point of the run,
 * and the run must be able to go on. What the tool is called with, and what it answers, stays with the application.
 */
export function useTool(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<UseToolReply> {
  return govern(services, caller, "use_tool", async (op) => {
    const { tool } = parseInput(useToolInput, body);
    const { pin } = await pinOf(op, run);
    const stageId = await currentStage(services, caller, pin);
    const asked = { name: tool, ...(stageId === undefined ? {} : { stageId }) };
    const permit = op.permit({ type: "run", pin }, { tool: asked });
    const expiresAt = idleEnd(pin, op.now);
    await services.store.transact(permit, (tx) =>
      tx.commit([
        touchRun(runScope(permit), { pin, expiresAt, byAgent: false }),
        op.audit(permit, {
          writes: [{ kind: "tool", ids: [tool] }],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    return { tool, expires_at: expiresAt.toISOString(), decision: op.decision() };
  });
}
