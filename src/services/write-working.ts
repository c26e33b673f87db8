import { hoursAfter } from "../domain/clock.js";
import type { WorkingClass } from "../domain/working.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { deleteWorkingByClass, insertWorking } from "../storage/queries/working-write.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { parseInput } from "./inputs/parse.js";
import { type WriteWorkingInput, writeWorkingInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { goalImmutable } from "./run-refusals.js";
import type { Services } from "./services.js";
import { newItemKey, sealWorking } from "./working-values.js";

export interface WriteWorkingReply {
  readonly written: readonly WorkingClass[];
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/** Replaces whole classes of the run's working memory: contract, criteria, artifact, failures, questions, scratch refs. */
export function writeWorking(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<WriteWorkingReply> {
  return govern(services, caller, "write_working", async (op) => {
    const input = parseInput(writeWorkingInput, body);
    const { expected_version: expectedVersion } = input;
    if (input.goal !== undefined) throw goalImmutable();
    const { pin, key } = await pinOf(op, run);
    makeRepeatable(op, key, [run, body]);
    const permit = op.permit({ type: "run", pin }, {});
    const classes = valuesByClass(input);
    const scratchUntil = hoursAfter(op.now, services.retention.scratchHours);
    const rows = classes.flatMap(([workingClass, values]) =>
      values.map((value) => {
        const item = { class: workingClass, key: newItemKey(), version: 1, value };
        return sealWorking(
          key,
          pin,
          workingClass === "scratch" ? { ...item, expiresAt: scratchUntil } : item,
        );
      }),
    );
    const expiresAt = idleEnd(pin, op.now);
    const written = classes.map(([workingClass]) => workingClass);
    const reply = { written, expires_at: expiresAt.toISOString(), decision: op.decision() };
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin, expiresAt, expectedVersion, byAgent: true }),
        ...written.map((workingClass) => deleteWorkingByClass(permit, workingClass)),
        insertWorking(runScope(permit), rows),
        op.audit(permit, {
          writes: [{ kind: "working", ids: written }],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    return reply;
  });
}

function valuesByClass(
  input: WriteWorkingInput,
): readonly (readonly [WorkingClass, readonly unknown[]])[] {
  const given: readonly (readonly [WorkingClass, readonly unknown[] | undefined])[] = [
    ["contract", input.contract === undefined ? undefined : [input.contract]],
    ["criterion", input.criteria],
    ["artifact", input.artifact === undefined ? undefined : [input.artifact]],
    ["failure", input.failures],
    ["question", input.questions],
    ["scratch", input.scratch],
  ];
  return given.flatMap(([workingClass, values]) =>
    values === undefined ? [] : [[workingClass, values] as const],
  );
}
