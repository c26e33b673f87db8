import type { AssembleReply } from "../../services/assemble.js";
import type { AssembleBody } from "../../services/bodies.js";
import { type Course, slotsOf } from "./course.js";

/**
 * Assembles what the run may remember now. Where something that it knew was forgotten, the course lets go of what the run has no
 * more: with the pack its words are taken again.
 */
export async function takePack(course: Course, body: AssembleBody): Promise<AssembleReply> {
  const pack = await course.memory.assemble(course.runId, body);
  if (pack.forgotten_since) await letGo(course);
  return pack;
}

async function letGo(course: Course): Promise<void> {
  const run = await course.memory.readRun(course.runId);
  const left = slotsOf(course.route, run);
  for (const stage of course.slots.keys()) if (!left.has(stage)) course.slots.delete(stage);
  course.notes.splice(0, course.notes.length, ...run.notes.map(String));
  course.checkpoint = run.checkpoint;
  course.answer = run.escalation?.answer ?? null;
}
