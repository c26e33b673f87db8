import type { Course } from "./course.js";

export interface StageOutput {
  readonly output: unknown;
  /** What the model says to the person, where the stage is its answer. */
  readonly said?: string;
}

/** Keeps what the pinned profile keeps of a stage: slot and notes, what was said, where the run goes on. */
export async function keepStage(
  course: Course,
  stage: string,
  { output, said = "" }: StageOutput,
): Promise<void> {
  const { memory, runId, route } = course;
  const { conversation, working, loop } = route.memory_profile;
  const turns =
    conversation === "session" && said.trim() !== ""
      ? [{ role: "assistant", text: said } as const]
      : [];
  course.slots.set(stage, output);
  const notes = course.newNotes.splice(0);
  course.notes.push(...notes);
  if (working === "session") {
    course.step += 1;
    await memory.completeStage(runId, stage, {
      output,
      ...(notes.length === 0 ? {} : { notes }),
      ...(turns.length === 0 ? {} : { turns }),
    });
    return;
  }
  if (turns.length > 0) await memory.appendTurns(runId, { turns });
  if (loop === "none") return;
  course.step += 1;
  const index = route.stages.findIndex(({ stage_id }) => stage_id === stage);
  await memory.writeCheckpoint(runId, {
    step: course.step,
    stage_id: stage,
    resume_index: index + 1,
    result: output,
  });
}
