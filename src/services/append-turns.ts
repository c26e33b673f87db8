import { hoursAfter } from "../domain/clock.js";
import type { RunId } from "../domain/ids.js";
import { touchConversation } from "../storage/queries/run-touch.js";
import { runScope, sessionScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { sessionClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { appendTurnsInput } from "./inputs/turn.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { writeTurns } from "./turn-writing.js";

export interface AppendTurnsReply {
  readonly turn_ids: readonly string[];
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/** Keeps turns of the run's session, in their order. One network round trip. */
export function appendTurns(
  services: Services,
  caller: Caller,
  run: RunId,
  body: unknown,
): Promise<AppendTurnsReply> {
  return govern(services, caller, "append_turns", async (op) => {
    const input = parseInput(appendTurnsInput, body);
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const { evidenceDays } = await services.directory.tenant(caller.principal.claims.tenant);
    const origin = {
      permit,
      scope: sessionScope(permit),
      key,
      run,
      routeId: pin.routeId,
      evidenceDays,
      conversation: true,
    };
    const written = writeTurns(origin, input.turns);
    const expiresAt = hoursAfter(op.now, pin.route.memory_profile.ttl_hours);
    const touch = { pin, expiresAt, expectedVersion: input.expected_version ?? null };
    const reply = {
      turn_ids: written.ids,
      expires_at: expiresAt.toISOString(),
      decision: op.decision(),
    };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        touchConversation(runScope(permit), touch, written.ids.length),
        ...written.names,
        ...written.turns,
        op.audit(permit, {
          writes: [{ kind: "turn", ids: written.ids }],
          ttl: sessionClock(pin, expiresAt),
        }),
      ]),
    );
    return reply;
  });
}
