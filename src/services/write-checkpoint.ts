import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { invalid } from "../domain/fields.js";
import type { Pin } from "../domain/pin.js";
import { replaceCheckpoint } from "../storage/queries/checkpoint-write.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { sealCheckpoint } from "./checkpoints.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { writeCheckpointInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";

export interface WriteCheckpointReply {
  readonly step: number;
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/**
 * Overwrites the loop's record: step, proposals, observations, result. One network round trip. Its `resume_index` is the
 * loop's own: where the run goes on follows from completed stages alone.
 */
export function writeCheckpoint(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<WriteCheckpointReply> {
  return govern(services, caller, "write_checkpoint", async (op) => {
    const {
      step,
      resume_index,
      expected_version: expectedVersion,
      ...value
    } = parseInput(writeCheckpointInput, body);
    const text = JSON.stringify(value);
    refuseCredential(text, "body");
    refuseChainOfThought(text, "body");
    const { pin, key } = await pinOf(op, run);
    refuseBeyond(pin, resume_index);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const expiresAt = idleEnd(pin, op.now);
    const reply = { step, expires_at: expiresAt.toISOString(), decision: op.decision() };
    const sealed = sealCheckpoint(key, pin, defined(value));
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin, expiresAt, expectedVersion, byAgent: true }),
        replaceCheckpoint(permit, { ...sealed, step, resumeIndex: resume_index ?? null }),
        op.audit(permit, {
          writes: [{ kind: "checkpoint", ids: [run] }],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    return reply;
  });
}

/** A run goes on at a stage of its pinned route, or after the last one. A route without stages counts as it likes. */
function refuseBeyond({ route: { stages } }: Pin, resumeIndex: number | undefined): void {
  if (stages.length > 0 && resumeIndex !== undefined && resumeIndex > stages.length)
    throw invalid("resume_index", "is beyond the stages of the pinned route");
}

function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
