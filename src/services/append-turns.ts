import { isByAgent } from "../domain/turn.js";
import type { Caller } from "./caller.js";
import { idleEnd, sessionClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { appendTurnsInput } from "./inputs/turn.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { sayTurns } from "./say-turns.js";
import type { Services } from "./services.js";

export interface AppendTurnsReply {
  readonly turn_ids: readonly string[];
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/** Keeps turns of the run's session, in their order. One network round trip. */
export function appendTurns(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<AppendTurnsReply> {
  return govern(services, caller, "append_turns", async (op) => {
    const input = parseInput(appendTurnsInput, body);
    const pinned = await pinOf(op, run);
    const { pin, key } = pinned;
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const said = await sayTurns(op, permit, pinned, input.turns, {
      expectedVersion: input.expected_version,
      byAgent: input.turns.some(isByAgent),
    });
    const expiresAt = idleEnd(pin, op.now);
    const reply = {
      turn_ids: said.ids,
      expires_at: expiresAt.toISOString(),
      decision: op.decision(),
    };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        ...said.statements,
        op.audit(permit, {
          writes: said.touched,
          ttl: sessionClock(pin, expiresAt),
        }),
      ]),
    );
    return reply;
  });
}
