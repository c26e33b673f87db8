import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelPlace } from "./people.js";
import { answerConsolidator, answerObserver, type Told } from "./scripted-answers.js";

/** Statements that a scripted model told, by how they were wrong. What it was asked for again isn't counted twice. */
export type ScriptedTold = Readonly<Record<Told, number>>;

interface Request {
  readonly messages: readonly { readonly role: string; readonly content: string | Part[] }[];
  readonly response_format?: { readonly json_schema?: { readonly name?: string } };
}

interface Part {
  readonly text?: string;
}

/**
 * An OpenAI-compatible server on loopback that answers by plain rules, and wrongly now and then. It shows that what is asked
 * and answered over a model's way keeps its guarantees; what a real model would find it doesn't show.
 */
export async function withScriptedModel<Result>(
  use: (model: ModelPlace) => Promise<Result>,
): Promise<{ readonly result: Result; readonly told: ScriptedTold }> {
  const told = { right: 0, invented: 0, misplaced: 0, repeated: 0 };
  const server = createServer(async (request, response) => {
    const { messages, response_format: format } = JSON.parse(await textOf(request)) as Request;
    const [system, prompt] = [contentOf(messages, "system"), contentOf(messages, "user")];
    const content = answerTo(format?.json_schema?.name, prompt, (counts) => {
      if (system.includes("Your last answer was refused")) return;
      for (const how of Object.keys(told) as Told[]) told[how] += counts[how];
    });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(completionOf(JSON.stringify(content))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const place = { modelUrl: `http://127.0.0.1:${port}/v1`, modelName: "scripted" };
    return { result: await use(place), told };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function answerTo(
  name: string | undefined,
  prompt: string,
  count: (told: ScriptedTold) => void,
): object {
  if (name === "digest") return { open_questions: [], decisions: [] };
  if (name !== "observations") return answerConsolidator(prompt);
  const { observations, told } = answerObserver(prompt);
  count(told);
  return { observations };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function contentOf(messages: Request["messages"], role: string): string {
  const content = messages.findLast((message) => message.role === role)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function completionOf(content: string): object {
  return {
    id: "scripted",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  };
}
