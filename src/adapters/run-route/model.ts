import type { ChatMessage } from "../../domain/assembly/pack.js";
import type { ShownTool } from "../../services/tool-schemas.js";

export type { ShownTool };

/** All that a model sees: a pack, what was called since, and the tools that are open now. */
export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ShownTool[];
  readonly signal?: AbortSignal;
}

export interface ToolRequest {
  readonly id: string;
  readonly tool: string;
  /** As the model gave it: checked before anything is called. */
  readonly input: unknown;
}

export type ModelReply =
  | { readonly text: string }
  | { readonly tool_calls: readonly ToolRequest[] };

/** Any function over any model. */
export type Model = (request: ModelRequest) => Promise<ModelReply>;
