import { mergeInput, type SlotValue } from "../../domain/merge.js";
import type { Stage } from "../../domain/route.js";
import { slotHolds } from "../../domain/slot-condition.js";
import { type CapabilityContext, type CheckedCapability, runCapability } from "./capability.js";
import { type Course, contextOf } from "./course.js";
import { goalFields } from "./goal.js";
import { keepStage, type StageOutput } from "./keep.js";
import { Failure } from "./outcome.js";
import { singleCall } from "./single-call.js";
import { toolLoop } from "./tool-loop.js";

/** Goes through the stages that aren't complete, in their order. Answers the stage that it has to wait for, if one. */
export async function runStages(course: Course): Promise<{ readonly waitsFor: string | null }> {
  const { stages } = course.route;
  const spoken = stages.at(-1)?.stage_id;
  for (const stage of stages) {
    if (course.slots.has(stage.stage_id)) continue;
    if (course.signal?.aborted) throw new Failure("aborted", course.signal.reason);
    const slots = Object.fromEntries(course.slots);
    if (stage.gate !== undefined && !slotHolds(stage.gate, slots))
      return { waitsFor: stage.stage_id };
    const isPassedOver = stage.when !== undefined && !slotHolds(stage.when, slots);
    const done = isPassedOver ? { output: null } : await runStage(course, stage);
    if (done === null) return { waitsFor: stage.stage_id };
    const { output, said } = done;
    await keepStage(course, stage.stage_id, {
      output,
      ...(said === undefined || stage.stage_id !== spoken ? {} : { said }),
    });
  }
  return { waitsFor: null };
}

/** By the stage's capability, else by the model. Null where there is neither: somebody else completes the stage. */
async function runStage(course: Course, stage: Stage): Promise<StageOutput | null> {
  const { stage_id, tools, recall } = stage;
  const capability = course.capabilities.get(stage_id);
  if (capability !== undefined) return { output: await runFunction(course, stage, capability) };
  if (course.model === null) return null;
  const text =
    course.route.autonomy === 3
      ? await toolLoop(course, stage_id, tools)
      : await singleCall(course, stage_id, recall);
  return { output: { text }, said: text };
}

/** Its input is the goal and the slot keys that its schema names, and nothing else. */
async function runFunction(
  course: Course,
  { stage_id, input_schema, recall }: Stage,
  capability: CheckedCapability,
): Promise<unknown> {
  const input = mergeInput({
    goal: goalFields(course.goal),
    slots: slotsInOrder(course),
    inputSchema: input_schema ?? capability.input_schema,
    notes: capability.notes === true ? course.notes : undefined,
  });
  const problem = capability.problemOf(input);
  if (problem !== null) throw new Failure("input_invalid", new Error(problem));
  const context: CapabilityContext = {
    ...contextOf(course, `${course.runId}/${stage_id}`),
    ...(recall && course.route.autonomy === 2
      ? {
          recall: (query, limit) =>
            course.memory.recallTurns(course.runId, {
              query,
              ...(limit === undefined ? {} : { limit }),
            }),
        }
      : {}),
  };
  return await runCapability(capability, input, context);
}

/** Slots that came from elsewhere first, then those of the route's stages: the later stage wins a collision. */
function slotsInOrder({ slots, route }: Course): readonly SlotValue[] {
  const place = (id: string) => route.stages.findIndex(({ stage_id }) => stage_id === id);
  return [...slots]
    .map(([stage_id, value]) => ({ stage_id, value }))
    .sort((a, b) => place(a.stage_id) - place(b.stage_id));
}
