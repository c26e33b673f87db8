import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import type { ChatMessage } from "../../domain/assembly/pack.js";
import type { Model, ModelReply, ShownTool } from "./model.js";

/** A language model of the AI SDK, as its providers make them. Needs the optional package `ai`. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** The function over an AI SDK model. Tools are shown without their code: calling them is never the model's side. */
export function aiSdkModel(model: AiSdkModel, maxRetries: number): Model {
  return async ({ messages, tools, signal }) => {
    const { generateText, jsonSchema } = await import("ai");
    const shown = (tool: ShownTool) => ({
      description: tool.description,
      inputSchema: jsonSchema(tool.input_schema),
    });
    const result = await generateText({
      model: model as LanguageModel,
      messages: toModelMessages(messages),
      // Our own heading: remembered text never has a system message's rank.
      allowSystemInMessages: true,
      maxRetries,
      ...(tools.length === 0
        ? {}
        : { tools: Object.fromEntries(tools.map((tool) => [tool.name, shown(tool)])) as ToolSet }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    return toReply(result.text, result.toolCalls);
  };
}

interface SdkCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

function toReply(text: string, calls: readonly SdkCall[]): ModelReply {
  if (calls.length === 0) return { text };
  return {
    tool_calls: calls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      tool: toolName,
      input,
    })),
  };
}

function toModelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message): ModelMessage => {
    if (message.role === "tool") {
      const toolName = toolNames.get(message.tool_call_id) ?? "tool";
      const output = { type: "text", value: message.content } as const;
      const result = {
        type: "tool-result",
        toolCallId: message.tool_call_id,
        toolName,
        output,
      } as const;
      return { role: "tool", content: [result] };
    }
    if (message.content !== null) return { role: message.role, content: message.content };
    const calls = message.tool_calls.map(({ id, function: called }) => {
      toolNames.set(id, called.name);
      const input = readArguments(called.arguments);
      return { type: "tool-call", toolCallId: id, toolName: called.name, input } as const;
    });
    return { role: "assistant", content: calls };
  });
}

/** Remembered arguments are whatever an application kept of a call: not always JSON. */
function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
