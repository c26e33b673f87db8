import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "../setup/after-file.js";

/** Words that mean alike stand on one axis. */
const MEANINGS = [
  ["cat", "kitten", "feline"],
  ["doctor", "physician", "surgery"],
  ["fee", "charge", "price"],
  ["holiday", "vacation", "trip"],
];

export interface EmbeddingEndpoint {
  readonly url: string;
  /** Texts that were sent, request by request. */
  readonly asked: (readonly string[])[];
  readonly models: string[];
  /** How the next requests are answered, one each; then as they should be. */
  readonly misbehave: ("busy" | "broken" | "refused" | "short" | "nonsense" | "silent")[];
}

/** An OpenAI-compatible embeddings endpoint on loopback that knows a few meanings. Closed with the suite. */
export async function openEmbeddingEndpoint(): Promise<EmbeddingEndpoint> {
  const asked: (readonly string[])[] = [];
  const models: string[] = [];
  const misbehave: EmbeddingEndpoint["misbehave"] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { model, input } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        model: string;
        input: string[];
      };
      asked.push(input);
      models.push(model);
      const how = misbehave.shift();
      if (how === "silent") return;
      if (how === "busy" || how === "broken" || how === "refused")
        response.statusCode = { busy: 429, broken: 503, refused: 401 }[how];
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse();
      const body =
        how === "nonsense"
          ? "<html>"
          : JSON.stringify({ data: how === "short" ? data.slice(1) : data });
      response.setHeader("content-type", "application/json");
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked, models, misbehave };
}

function vectorOf(text: string): readonly number[] {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const axes = MEANINGS.map((alike) => words.filter((word) => alike.includes(word)).length);
  return [...axes, 0.05];
}
