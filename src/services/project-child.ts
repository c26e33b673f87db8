import type { Permit } from "../domain/permit.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { type ChildInput, childInput } from "./inputs/run.js";
import type { Operation } from "./operation.js";
import { makePin, pinStatements, refuseGoal, startedReply } from "./pinning.js";
import { type PinnedRun, pinOf, rememberPin } from "./pins.js";
import { latestRoute } from "./routes.js";
import type { Services } from "./services.js";
import { carrySlots } from "./slots.js";
import type { StartRunReply } from "./start-run.js";

/** Starts a child agent's run with a projection of named slots, and nothing else of its parent. The parent stays the active run. */
export function projectChild(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<StartRunReply> {
  return govern(services, caller, "project_child", async (op) => {
    const input = parseInput(childInput, body);
    refuseGoal(input.goal);
    // Before the run is looked up: what is said of a missing route tells nothing about the run.
    const route = await latestRoute(services, caller.principal, input.route_id);
    const parent = await pinOf(op, run);
    const child = { pin: makePin(route, parent.pin, parent.pin.run), key: parent.key };
    makeRepeatable(op, parent.key, [run, body]);
    const permit = op.permit({ type: "run", pin: parent.pin, target: child.pin }, {});
    const { statements, expiresAt } = pinStatements(permit, { ...child, goal: input.goal });
    const reply = startedReply(op, child.pin, expiresAt);
    await services.store.transact(permit, async (tx) => {
      const slots = await slotsFor(op, tx, permit, { parent, child, input });
      const until = idleEnd(parent.pin, op.now);
      await tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin: parent.pin, expiresAt: until, byAgent: true }),
        ...statements,
        ...slots,
        op.audit(permit, {
          reads: [{ kind: "slot", ids: input.slots }],
          writes: [{ kind: "run", ids: [child.pin.run] }],
          ttl: runClock(child.pin, expiresAt),
        }),
      ]);
    });
    rememberPin(services, child.pin);
    return reply;
  });
}

interface Projection {
  readonly parent: PinnedRun;
  readonly child: PinnedRun;
  readonly input: ChildInput;
}

async function slotsFor(
  op: Operation<"project_child">,
  tx: Transaction,
  permit: Permit<"project_child">,
  { parent, child, input: { slots, handoff } }: Projection,
): Promise<readonly Statement[]> {
  if (slots.length === 0 && handoff === undefined) return [];
  const repeat = findRepeat(op, permit);
  return await carrySlots(op.services, tx, {
    permit,
    from: parent,
    to: child,
    names: slots,
    handoff,
    repeat,
  });
}
