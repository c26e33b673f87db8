import { withoutTemplateMarks } from "../../domain/assembly/escape.js";
import type { ChatMessage } from "../../domain/assembly/pack.js";
import { LIMITS } from "../../domain/limits.js";
import { askModel, instructed } from "./ask-model.js";
import type { Course } from "./course.js";
import { ESCALATE_RUN } from "./escalate-tool.js";
import type { ToolAnswer } from "./governed-tools.js";
import { type Exchange, keepLoop, openLoop } from "./loop-record.js";
import type { ToolRequest } from "./model.js";
import { Failure } from "./outcome.js";
import { takePack } from "./take-pack.js";
import { callTool, shownTools } from "./tools.js";

/**
 * Asks the model until it answers, calling the tools that it asks for. Its pack holds nothing recalled: that comes by a
 * recall tool, one decision a call. After a crash it goes on behind the last call that was answered.
 */
export async function toolLoop(
  course: Course,
  stage: string,
  allowlist: readonly string[],
): Promise<string> {
  const pack = await takePack(course, {});
  const messages = [...instructed(course, stage, pack.messages)];
  const exchanges: Exchange[] = [];
  const before = openLoop(course, stage);
  for (const exchange of before.exchanges) {
    exchanges.push(exchange);
    messages.push(...(await replayed(course, exchange)));
  }
  const take = (calls: readonly ToolRequest[], answers: readonly ToolAnswer[]) => {
    exchanges.push({ calls: [...calls], answers: answers.map(toKeep) });
    messages.push(...toMessages(calls, answers));
  };
  if (before.interrupted.length > 0)
    take(
      before.interrupted,
      before.interrupted.map(({ tool }) => afterInterruption(course, tool)),
    );
  const tools = await shownTools(course, allowlist);
  while (exchanges.length < course.stepsMax) {
    const reply = await askModel(course, messages, tools);
    if ("text" in reply) return reply.text;
    await keepLoop(course, stage, exchanges, reply.tool_calls);
    const answers: ToolAnswer[] = [];
    for (const [index, call] of reply.tool_calls.entries())
      answers.push(
        await callTool(course, call, `${course.runId}/${stage}/${exchanges.length}.${index}`),
      );
    take(reply.tool_calls, answers);
    await keepLoop(course, stage, exchanges, []);
  }
  throw new Failure("steps_exhausted");
}

const INTERRUPTED: ToolAnswer = {
  error: "interrupted",
  message: "the call was interrupted: whether it had an effect isn't known",
};

/** A call that handed the run to a human has that person's answer. */
function afterInterruption({ answer }: Course, tool: string): ToolAnswer {
  return tool === ESCALATE_RUN && answer !== null ? { output: { answer } } : INTERRUPTED;
}

/** Stands for what a recall found. */
const RECALLED = { recalled: null } as const;

function toKeep(answer: ToolAnswer): unknown {
  return "recalled" in answer ? RECALLED : answer;
}

async function replayed(
  course: Course,
  { calls, answers }: Exchange,
): Promise<readonly ChatMessage[]> {
  const again: ToolAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    const answer = (answers[index] ?? INTERRUPTED) as ToolAnswer;
    again.push("recalled" in answer ? await callTool(course, toRequest(call), "") : answer);
  }
  return toMessages(calls.map(toRequest), again);
}

function toRequest({ id, tool, input }: Exchange["calls"][number]): ToolRequest {
  return { id, tool, input };
}

function toMessages(
  calls: readonly ToolRequest[],
  answers: readonly ToolAnswer[],
): readonly ChatMessage[] {
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, tool, input }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(({ id }, index) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: textOf(answers[index] ?? INTERRUPTED),
    })),
  ];
}

/** JSON, so that what a tool quotes stays inside its string, without marks that a chat template would obey. */
function textOf(answer: ToolAnswer): string {
  const text = JSON.stringify(answer);
  return text.length <= LIMITS.turnCharsMax
    ? withoutTemplateMarks(text)
    : JSON.stringify({ error: "too_large", message: "the tool answered more than can be shown" });
}
