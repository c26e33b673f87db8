import { touchRun } from "../storage/queries/run-touch.js";
import { targetScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { handoffInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { carrySlots } from "./slots.js";

export interface HandoffReply {
  readonly slots: readonly string[];
  readonly from_run: string;
  readonly decision: DecisionReply;
}

/** Carries the named slots of an earlier run of the same session over to this one: the only way across a route switch. */
export function handoffSlots(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<HandoffReply> {
  return govern(services, caller, "handoff_slots", async (op) => {
    const input = parseInput(handoffInput, body);
    const to = await pinOf(op, run);
    const from = await pinOf(op, input.from_run);
    op.about(to.pin);
    makeRepeatable(op, to.key, [run, body]);
    const permit = op.permit({ type: "run", pin: from.pin, target: to.pin }, {});
    const expiresAt = idleEnd(to.pin, op.now);
    const reply = { slots: input.slots, from_run: from.pin.run, decision: op.decision() };
    await services.store.transact(permit, async (tx) => {
      const repeat = findRepeat(op, permit);
      const slots = await carrySlots(services, tx, {
        permit,
        from,
        to,
        names: input.slots,
        handoff: input.handoff,
        repeat,
      });
      await tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(targetScope(permit), { pin: to.pin, expiresAt, byAgent: true }),
        ...slots,
        op.audit(permit, {
          reads: [{ kind: "slot", ids: input.slots.map((slot) => `${from.pin.run}/${slot}`) }],
          writes: [{ kind: "slot", ids: input.slots }],
          ttl: runClock(to.pin, expiresAt),
        }),
      ]);
    });
    return reply;
  });
}
