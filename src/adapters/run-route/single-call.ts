import { askModel, instructed } from "./ask-model.js";
import { type Course, questionOf, recalls } from "./course.js";
import { Failure } from "./outcome.js";
import { takePack } from "./take-pack.js";
import { callTool } from "./tools.js";

/** One call of the model over one pack, in which recalled turns stand only where this is the pattern's moment for them. */
export async function singleCall(
  course: Course,
  stage: string,
  isRecallMoment: boolean,
): Promise<string> {
  const query = questionOf(course);
  const recall = isRecallMoment && recalls(course) ? { recall: { query } } : {};
  const pack = await takePack(course, recall);
  const reply = await askModel(course, instructed(course, stage, pack.messages), []);
  if ("text" in reply) return reply.text;
  // It was shown no tool. The service refuses each call and audits it.
  for (const call of reply.tool_calls) await callTool(course, call, `${course.runId}/${stage}`);
  throw new Failure("tool_not_allowed");
}
