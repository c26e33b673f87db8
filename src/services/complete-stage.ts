import { MunimentError } from "../domain/errors.js";
import type { SubjectKey } from "../domain/keyring.js";
import { gateHolds } from "../domain/next-stage.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { replaceCheckpoint } from "../storage/queries/checkpoint-write.js";
import { insertWorking, replaceWorking } from "../storage/queries/working-write.js";
import { runScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { sealCheckpoint } from "./checkpoints.js";
import { idleEnd, runClock } from "./clocks.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import { name, parseInput } from "./inputs/parse.js";
import { type CompleteStageInput, completeStageInput } from "./inputs/run.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { readRunStages } from "./run-stages.js";
import { sayTurns } from "./say-turns.js";
import type { Services } from "./services.js";
import { newItemKey, sealWorking } from "./working-values.js";

export interface CompleteStageReply {
  readonly stage_id: string;
  readonly slot_version: number;
  /** Index of the stage after this one. */
  readonly resume_index: number;
  readonly turn_ids: readonly string[];
  readonly expires_at: string;
  readonly decision: DecisionReply;
}

/**
 * Keeps a stage's output as its slot, its notes, the turns that were said in it and, under `loop: checkpoint`, the
 * loop's record: all or nothing, in one network round trip, two before a gate.
 */
export function completeStage(
  services: Services,
  caller: Caller,
  run: string,
  stageId: string,
  body: unknown,
): Promise<CompleteStageReply> {
  return govern(services, caller, "complete_stage", async (op) => {
    const stage = parseInput(name, stageId, "stage_id");
    const input = parseInput(completeStageInput, body);
    const pinned = await pinOf(op, run);
    const { pin, key } = pinned;
    makeRepeatable(op, key, [run, stage, body]);
    const resumeIndex = stageIndex(pin, stage) + 1;
    const permit = op.permit(
      { type: "run", pin },
      { gateHolds: await isGateOpen(services, caller, pin, stage) },
    );
    const turns = input.turns ?? [];
    // A stage that is completed again changes its slot, not where the run goes on.
    const moved = (input.slot_version ?? 0) === 0 ? { resumeIndex } : {};
    const said = await sayTurns(op, permit, pinned, turns, {
      expectedVersion: input.expected_version,
      byAgent: true,
      ...moved,
    });
    const expiresAt = idleEnd(pin, op.now);
    const reply = {
      stage_id: stage,
      slot_version: (input.slot_version ?? 0) + 1,
      resume_index: resumeIndex,
      turn_ids: said.ids,
      expires_at: expiresAt.toISOString(),
      decision: op.decision(),
    };
    const writes = [{ kind: "slot", ids: [stage] }, ...said.touched];
    await services.store.transact(permit, (tx) =>
      tx.commit([
        ...keepReply(op, permit, reply),
        ...said.statements,
        ...slotStatements(permit, key, pin, stage, input),
        ...checkpointStatements(permit, key, pin, stage, { ...moved, ...input }),
        op.audit(permit, { writes, ttl: runClock(pin, expiresAt) }),
      ]),
    );
    return reply;
  });
}

/** A run past its idle clock has no gates: the statement says what it is. */
async function isGateOpen(
  services: Services,
  caller: Caller,
  pin: Pin,
  stageId: string,
): Promise<boolean> {
  const stage = pin.route.stages.find(({ stage_id }) => stage_id === stageId);
  if (stage?.gate === undefined) return true;
  const run = await readRunStages(services, caller, pin);
  return run === null || gateHolds(stage, run.slots);
}

/** Place of the stage in the pinned route; a route that declares no stages takes any name as its next one. */
function stageIndex(pin: Pin, stage: string): number {
  const index = pin.route.stages.findIndex((declared) => declared.stage_id === stage);
  if (index >= 0) return index;
  if (pin.route.stages.length === 0) return 0;
  throw new MunimentError("invalid_input", "`stage_id` isn't a stage of the pinned route", {
    field: "stage_id",
  });
}

function slotStatements(
  permit: Permit,
  key: SubjectKey,
  pin: Pin,
  stage: string,
  input: CompleteStageInput,
): readonly Statement[] {
  const version = (input.slot_version ?? 0) + 1;
  const scope = runScope(permit);
  const slot = sealWorking(key, pin, { class: "slot", key: stage, version, value: input.output });
  const notes = (input.notes ?? []).map((note) =>
    sealWorking(key, pin, { class: "note", key: newItemKey(), version: 1, value: note }),
  );
  if (version === 1) return [insertWorking(scope, [slot, ...notes])];
  return [replaceWorking(permit, slot), insertWorking(scope, notes)];
}

function checkpointStatements(
  permit: Permit,
  key: SubjectKey,
  pin: Pin,
  stage: string,
  { output, step, resumeIndex }: CompleteStageInput & { readonly resumeIndex?: number },
): readonly Statement[] {
  if (pin.route.memory_profile.loop === "none") return [];
  const sealed = sealCheckpoint(key, pin, { stage_id: stage, result: output });
  const moved = { step: step ?? null, resumeIndex: resumeIndex ?? null };
  return [replaceCheckpoint(permit, { ...sealed, ...moved })];
}
