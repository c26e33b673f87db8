import { endRun, releaseRun } from "../storage/queries/run-end.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { closeRunInput, failRunInput } from "./inputs/run.js";
import type { TraceInput } from "./inputs/trace.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { recordTrace } from "./run-traces.js";
import type { Services } from "./services.js";

export interface EndRunReply {
  readonly state: "failed" | "completed" | "closed";
  readonly decision: DecisionReply;
}

interface End {
  readonly told: TraceInput | undefined;
  readonly state: EndRunReply["state"];
  readonly code: string | null;
  readonly expectedVersion: number | undefined;
}

/** Marks the run as failed. Under `loop: checkpoint` a later turn takes it up again; it stays the session's active one. */
export function failRun(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<EndRunReply> {
  return end(services, caller, "fail_run", run, body, () => {
    const input = parseInput(failRunInput, body);
    return { ...toldBy(input), state: "failed", code: input.code };
  });
}

/** Ends the run for good. Its pin stays readable; the session has no active run any more. */
export function closeRun(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<EndRunReply> {
  return end(services, caller, "close_run", run, body, () => {
    const input = parseInput(closeRunInput, body);
    return { ...toldBy(input), state: input.outcome, code: null };
  });
}

function end(
  services: Services,
  caller: Caller,
  action: "fail_run" | "close_run",
  run: string,
  body: unknown,
  parse: () => End,
): Promise<EndRunReply> {
  return govern(services, caller, action, async (op) => {
    const { state, code, expectedVersion, told } = parse();
    const byAgent = told !== undefined;
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const expiresAt = idleEnd(pin, op.now);
    const reply = { state, decision: op.decision() };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin, expiresAt, expectedVersion, byAgent }),
        endRun(permit, state, code),
        recordTrace(services, permit, key, { outcome: state, reason: code ?? state, told }),
        ...(state === "failed" ? [] : [releaseRun(permit)]),
        op.audit(permit, { writes: [{ kind: "run", ids: [run] }], ttl: runClock(pin, expiresAt) }),
      ]),
    );
    return reply;
  });
}

function toldBy(input: {
  readonly trace?: TraceInput | undefined;
  readonly expected_version?: number | undefined;
}): Pick<End, "told" | "expectedVersion"> {
  return { told: input.trace, expectedVersion: input.expected_version };
}
