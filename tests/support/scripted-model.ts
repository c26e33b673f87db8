import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ChatMessage } from "../../src/domain/assembly/pack.js";
import { afterFile } from "../setup/after-file.js";

/** What the model does on one request: it answers, or misbehaves. */
export type Turn =
  | { readonly text: string; readonly meanwhile?: () => Promise<unknown> }
  | { readonly calls: readonly { readonly tool: string; readonly input: unknown }[] }
  | { readonly status: number }
  | { readonly raw: string }
  | { readonly hang: true };

/** What the model was sent. */
export interface SeenRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ScriptedModel {
  /** Where it listens, as settings name it. */
  readonly url: string;
  /** The AI SDK's model over the server's address. */
  readonly model: ReturnType<ReturnType<typeof createOpenAICompatible>>;
  /** Requests since the last script, with the marks of memory blocks made alike. */
  readonly requests: readonly SeenRequest[];
  /** Sets what comes next. A request beyond the script is answered with 500. */
  script(...turns: readonly Turn[]): void;
}

/** An OpenAI-compatible server on loopback that follows a script. Closed with the suite. */
export async function openScriptedModel(): Promise<ScriptedModel> {
  let turns: readonly Turn[] = [];
  let requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    // Who asked has given up: its turn of the script is over with the script that it was asked under.
    if (request.socket.destroyed) return;
    const turn = turns[requests.length] ?? { status: 500 };
    requests.push(JSON.parse(body.replaceAll(/memory-[0-9a-f]{8}/g, "memory-N")) as SeenRequest);
    if ("hang" in turn) return;
    if ("meanwhile" in turn) await turn.meanwhile?.();
    response.writeHead("status" in turn ? turn.status : 200, {
      "content-type": "application/json",
      "retry-after-ms": "1",
    });
    response.end(answerOf(turn, requests.length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const provider = createOpenAICompatible({
    name: "scripted",
    baseURL: url,
    supportsStructuredOutputs: true,
  });
  return {
    url,
    model: provider("scripted"),
    get requests() {
      return requests;
    },
    script: (...next) => {
      turns = next;
      requests = [];
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function answerOf(turn: Exclude<Turn, { readonly hang: true }>, number: number): string {
  if ("raw" in turn) return turn.raw;
  if ("status" in turn) return JSON.stringify({ error: { message: "scripted" } });
  const message =
    "text" in turn
      ? { role: "assistant", content: turn.text }
      : {
          role: "assistant",
          content: null,
          tool_calls: turn.calls.map(({ tool, input }, index) => ({
            id: `call_${number}_${index}`,
            type: "function",
            function: {
              name: tool,
              arguments: typeof input === "string" ? input : JSON.stringify(input),
            },
          })),
        };
  return JSON.stringify({
    id: `reply_${number}`,
    object: "chat.completion",
    created: 1_772_355_600,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason: "text" in turn ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}
