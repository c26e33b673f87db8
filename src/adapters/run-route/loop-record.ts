import { z } from "zod";
import type { Course } from "./course.js";
import type { ToolRequest } from "./model.js";

const call = z.strictObject({ id: z.string(), tool: z.string(), input: z.unknown() });
const answer = z.unknown();
const record = z.strictObject({
  /** Model steps so far: what was called and what it answered. */
  exchanges: z.array(z.strictObject({ calls: z.array(call), answers: z.array(answer) })),
});

/** What a tool loop has done. Recalled text isn't in it: it is recalled again, under the policy of that moment. */
export type LoopRecord = z.output<typeof record>;
export type Exchange = LoopRecord["exchanges"][number];

export interface OpenLoop {
  readonly exchanges: readonly Exchange[];
  /** Calls that were under way when the loop stopped: nobody knows whether they had an effect. */
  readonly interrupted: readonly ToolRequest[];
}

/** Where a loop that was interrupted in this stage goes on. */
export function openLoop({ checkpoint }: Course, stage: string): OpenLoop {
  const isHere = checkpoint?.stage_id === stage;
  const found = record.safeParse(isHere ? checkpoint.observations : undefined);
  const proposed = z.array(call).safeParse(isHere ? checkpoint.proposals : undefined);
  return { exchanges: found.data?.exchanges ?? [], interrupted: proposed.data ?? [] };
}

/** Overwrites the loop's record, where the profile keeps one. */
export async function keepLoop(
  course: Course,
  stage: string,
  exchanges: readonly Exchange[],
  proposals: readonly ToolRequest[],
): Promise<void> {
  if (course.route.memory_profile.loop === "none") return;
  course.step += 1;
  await course.memory.writeCheckpoint(course.runId, {
    step: course.step,
    stage_id: stage,
    proposals,
    observations: { exchanges },
  });
}
