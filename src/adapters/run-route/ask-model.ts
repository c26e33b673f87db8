import type { ChatMessage } from "../../domain/assembly/pack.js";
import { must } from "../../domain/errors.js";
import type { Course } from "./course.js";
import type { ModelReply, ShownTool } from "./model.js";
import { Failure } from "./outcome.js";

/** One call of the model, bounded in time. What it throws or answers wrongly fails the run. */
export async function askModel(
  course: Course,
  messages: readonly ChatMessage[],
  tools: readonly ShownTool[],
): Promise<ModelReply> {
  const model = must(course.model, "model");
  const deadline = AbortSignal.timeout(course.modelMsMax);
  const signal =
    course.signal === undefined ? deadline : AbortSignal.any([course.signal, deadline]);
  try {
    return readReply(await Promise.race([model({ messages, tools, signal }), rejectOn(signal)]));
  } catch (cause) {
    if (course.signal?.aborted) throw new Failure("aborted", cause);
    if (deadline.aborted) throw new Failure("model_timeout", cause);
    throw cause instanceof Failure ? cause : new Failure("model_failed", cause);
  }
}

/** A model that doesn't listen to its signal doesn't hold up the run. */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function readReply(reply: ModelReply): ModelReply {
  if ("text" in reply && typeof reply.text === "string") return reply;
  if ("tool_calls" in reply && Array.isArray(reply.tool_calls) && reply.tool_calls.length > 0)
    return reply;
  throw new Failure("model_invalid");
}

/** The pack's messages under the application's own words, which have system authority as our heading has. */
export function instructed(
  course: Course,
  stage: string,
  messages: readonly ChatMessage[],
): readonly ChatMessage[] {
  const words = Object.hasOwn(course.instructions, stage) ? course.instructions[stage] : undefined;
  if (words === undefined) return messages;
  const [heading, ...rest] = messages;
  return heading?.role === "system"
    ? [{ role: "system", content: `${words}\n\n${heading.content}` }, ...rest]
    : [{ role: "system", content: words }, ...messages];
}
