import { parseExternalId } from "../domain/input.js";
import type { Pin } from "../domain/pin.js";
import { activateRun } from "../storage/queries/run-insert.js";
import type { Caller } from "./caller.js";
import { runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { startRunInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { makePin, pinStatements, refuseGoal, startedReply } from "./pinning.js";
import { rememberPin } from "./pins.js";
import { latestRoute } from "./routes.js";
import type { Services } from "./services.js";
import { settle } from "./settle.js";

export interface StartRunReply {
  readonly run_id: string;
  readonly route_id: string;
  readonly route_version: number;
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/** Decides on the route: pins its latest version to a new run, which becomes the session's active one. */
export function startRun(
  services: Services,
  caller: Caller,
  subjectId: string,
  sessionId: string,
  body: unknown,
): Promise<StartRunReply> {
  return govern(services, caller, "start_run", async (op) => {
    const subject = parseExternalId(subjectId, "subject");
    const session = parseExternalId(sessionId, "session");
    const input = parseInput(startRunInput, body);
    refuseGoal(input.goal);
    const { tenant, workspace } = caller.principal;
    const route = await latestRoute(services, caller.principal, input.route_id);
    const pinAt = (place: Pick<Pin, "subject" | "keyId" | "session">) =>
      makePin(route, { ...place, tenant, workspace });
    const settled = await settle(op, subject, session, (place) => ({
      resource: { type: "run", pin: pinAt(place) },
      context: {},
    }));
    const { key } = settled.subject;
    const pin = pinAt({ ...settled.subject, session: settled.session });
    op.about(pin);
    makeRepeatable(op, key, [subject, session, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const { statements, expiresAt } = pinStatements(permit, { pin, key, goal: input.goal });
    const reply = startedReply(op, pin, expiresAt);
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        activateRun(permit, pin.run, pin.session),
        ...statements,
        op.audit(permit, {
          writes: [{ kind: "run", ids: [pin.run] }],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    rememberPin(services, pin);
    return reply;
  });
}
