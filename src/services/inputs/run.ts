import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { TOOL_NAME } from "../../domain/route-rules.js";
import {
  count,
  distinct,
  expectedVersion,
  externalId,
  json,
  name,
  routeId,
  text,
  whole,
} from "./parse.js";
import { traceInput } from "./trace.js";
import { turnsInput } from "./turn.js";

const goal = text(LIMITS.turnCharsMax);
const note = text(LIMITS.turnCharsMax);

export const startRunInput = z.strictObject({ route_id: routeId, goal });

/** `{}` and `{resume: true}` take a failed run up again. `goal` is known here so that its change gets its own refusal. */
export const takeTurnInput = z.strictObject({
  resume: z.boolean().optional(),
  turns: turnsInput.optional(),
  goal: z.unknown().optional(),
});

const criterion = z.strictObject({ criterion_id: name, version: z.int().min(1) });
const scratch = z.strictObject({ ref: externalId, label: text(500).optional() });

const artifact = text(2_048);

/** Each class that is given replaces all of that class. */
export const writeWorkingInput = z.strictObject({
  contract: json.optional(),
  criteria: distinct(z.array(criterion).max(LIMITS.workingItemsMax), "criterion_id").optional(),
  artifact: artifact.optional(),
  failures: z.array(text(LIMITS.turnCharsMax)).max(LIMITS.workingItemsMax).optional(),
  questions: z.array(text(4_000)).max(LIMITS.workingItemsMax).optional(),
  scratch: distinct(z.array(scratch).max(LIMITS.workingItemsMax), "ref").optional(),
  expected_version: expectedVersion,
  goal: z.unknown().optional(),
});
export type WriteWorkingInput = z.output<typeof writeWorkingInput>;

const step = count(LIMITS.loopStepsMax);

export const completeStageInput = z.strictObject({
  output: json,
  notes: z.array(note).max(LIMITS.notesPerStageMax).optional(),
  turns: turnsInput.optional(),
  step: step.optional(),
  /** Version of the slot that this output replaces; absent for a stage that completes the first time. */
  slot_version: whole(1).optional(),
  expected_version: expectedVersion,
});
export type CompleteStageInput = z.output<typeof completeStageInput>;

export const writeCheckpointInput = z.strictObject({
  step,
  stage_id: name.optional(),
  resume_index: whole(0).optional(),
  result: json.optional(),
  proposals: json.optional(),
  observations: json.optional(),
  expected_version: expectedVersion,
});

/** A tool by the name that the route's author gave it. Its arguments aren't ours to see. */
const tool = z.string().regex(TOOL_NAME);
export const useToolInput = z.strictObject({ tool });

const reason = text(LIMITS.escalationCharsMax);
export const escalateRunInput = z.strictObject({
  reason,
  /** What a human should look at: quotes, ids, references. */
  evidence: z.array(reason).max(LIMITS.workingItemsMax).default([]),
  expected_version: expectedVersion,
});
export const resumeRunInput = z.strictObject({ answer: reason });

export const failRunInput = z.strictObject({
  code: name,
  trace: traceInput.optional(),
  expected_version: expectedVersion,
});
export const closeRunInput = z.strictObject({
  outcome: z.enum(["completed", "closed"]).default("completed"),
  trace: traceInput.optional(),
  expected_version: expectedVersion,
});

const slots = z.array(name).min(1).max(LIMITS.workingItemsMax);
/** What one agent tells another of its work. A transcript has no place in it. */
const handoff = z.strictObject({
  artifacts: z.array(artifact).max(LIMITS.workingItemsMax).optional(),
  /** The evaluator's failures, verbatim. */
  failures: z.array(text(LIMITS.turnCharsMax)).max(LIMITS.workingItemsMax).optional(),
  tools_tried: z
    .array(z.strictObject({ tool, outcome: text(500) }))
    .max(LIMITS.workingItemsMax)
    .optional(),
  budget: z
    .strictObject({ tokens: whole(0), steps: whole(0), seconds: whole(0) })
    .partial()
    .optional(),
});
export type HandoffInput = z.output<typeof handoff>;

export const handoffInput = z.strictObject({
  from_run: z.uuid(),
  slots,
  handoff: handoff.optional(),
});
export const childInput = z.strictObject({
  route_id: routeId,
  goal,
  slots: z.array(name).max(LIMITS.workingItemsMax),
  handoff: handoff.optional(),
});
export type ChildInput = z.output<typeof childInput>;
