import { isDeeperThan } from "../../domain/json-depth.js";
import { LIMITS } from "../../domain/limits.js";

/** A body that no answer of the asked length has: reading or parsing it would cost more than it can tell. */
export class UnboundedBody extends Error {
  /** How much of it was read. */
  readonly bytes: number;

  constructor(what: string, bytes: number) {
    super(`the model's service sent a body that is ${what}`);
    this.name = "UnboundedBody";
    this.bytes = bytes;
  }
}

/** Fetches bodies of a bounded length and depth alone. Throws `UnboundedBody`; of an error's body the beginning is enough. */
export async function boundedFetch(
  ...asked: Parameters<typeof fetch>
): Promise<Awaited<ReturnType<typeof fetch>>> {
  const response = await fetch(...asked);
  if (response.body === null) return response;
  const { bytes, isWhole } = await readUpTo(response.body, LIMITS.modelAnswerBytesMax);
  if (response.ok && !isWhole) throw new UnboundedBody("too long", bytes.length);
  if (response.ok && isDeeperThan(LIMITS.jsonDepthMax, bytes))
    throw new UnboundedBody("nested too deeply", bytes.length);
  const { status, statusText, headers } = response;
  return new Response(bytes, { status, statusText, headers });
}

async function readUpTo(body: ReadableStream<Uint8Array>, bytesMax: number) {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop ends the stream: nobody goes on sending.
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length > bytesMax) break;
  }
  return { bytes: Buffer.concat(parts), isWhole: length <= bytesMax };
}
