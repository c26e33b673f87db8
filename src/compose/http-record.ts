import { MunimentError } from "../domain/errors.js";
import { isObject } from "../domain/fields.js";
import type { SystemOfRecord } from "../services/system-of-record.js";

export interface HttpRecordOptions {
  readonly url: string;
  /** Bearer token, where the system asks for one. */
  readonly token?: string | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
/** Bytes of an answer: a few dozen short values. */
const ANSWER_BYTES_MAX = 65_536;

/**
 * A system of record behind HTTP: `POST {tenant, subject, fields: [ids]}` answers `{fields: {id: value}}`. Ids travel in the
 * body, where access logs don't keep them. Bounded in time and size, and led nowhere else by a redirect.
 */
export function createHttpRecord({
  url,
  token,
  timeoutMs = TIMEOUT_MS,
}: HttpRecordOptions): SystemOfRecord {
  return {
    async read(tenant, subject, fields) {
      try {
        const response = await fetch(url, {
          method: "POST",
          redirect: "error",
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify({ tenant, subject, fields }),
        });
        return fieldsIn(response.status, await readBounded(response));
      } catch (cause) {
        if (cause instanceof MunimentError) throw cause;
        throw unavailable(cause);
      }
    },
  };
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw unavailable("the answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function fieldsIn(status: number, text: string): Readonly<Record<string, unknown>> {
  if (status !== 200) throw unavailable(`status ${status}`);
  const answer: unknown = JSON.parse(text);
  if (isObject(answer) && isObject(answer.fields)) return answer.fields;
  throw unavailable("the answer has no fields");
}

function unavailable(cause: unknown): MunimentError {
  return new MunimentError("unavailable", "the system of record doesn't answer as it should", {
    cause,
  });
}
