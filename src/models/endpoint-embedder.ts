import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { Embedder } from "../domain/embedder.js";
import { LIMITS } from "../domain/limits.js";

export interface Endpoint {
  /** Base of an OpenAI-compatible API, such as `http://127.0.0.1:8080/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
}

/** Texts of one request: what hosted models take at least. */
const BATCH = 64;
const ATTEMPTS_MAX = 4;
/** Before the second attempt; twice as long before each further one. */
const PAUSE_MS = 250;
const REPLY_BYTES_MAX = 64 * 1024 * 1024;

const reply = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
});

/** Worth another attempt: the endpoint is busy, broken or away for now. */
class PassingFailure extends Error {}

/** Embeds by an OpenAI-compatible endpoint: in batches, a bounded time, a bounded number of attempts. */
export function createEndpointEmbedder({ url, model, key }: Endpoint): Embedder {
  const address = `${url.replace(/\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const request = async (input: readonly string[], signal: AbortSignal) => {
    const body = JSON.stringify({ model, input, encoding_format: "float" });
    const once = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.embedRequestMsMax)]);
    const answer = await fetch(address, { method: "POST", headers, body, signal: once }).catch(
      (cause: unknown) => {
        throw new PassingFailure("the embedding endpoint can't be reached", { cause });
      },
    );
    if (answer.status === 429 || answer.status >= 500)
      throw new PassingFailure(`the embedding endpoint answered ${answer.status}`);
    if (!answer.ok) throw new Error(`the embedding endpoint answered ${answer.status}`);
    return vectorsOf(await answer.text(), input.length);
  };
  return {
    model,
    language: null,
    textCharsMax: 2_000,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH) {
        const batch = texts.slice(from, from + BATCH);
        vectors.push(...(await retried(signal, () => request(batch, signal))));
      }
      return vectors;
    },
    close: () => Promise.resolve(),
  };
}

async function retried<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PassingFailure) || attempt === ATTEMPTS_MAX) throw error;
      await setTimeout(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** One vector for each text, in their order, whatever the order of the answer. */
function vectorsOf(text: string, count: number): readonly Float32Array[] {
  if (text.length > REPLY_BYTES_MAX) throw new Error("the embedding endpoint's answer is too long");
  const { data } = reply.parse(JSON.parse(text));
  const vectors = new Map(
    data.map(({ index, embedding }) => [index, Float32Array.from(embedding)]),
  );
  const length = data[0]?.embedding.length;
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined || vector.length !== length)
      throw new Error("the embedding endpoint didn't answer with one vector for each text");
    return vector;
  });
}
