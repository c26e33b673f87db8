import type { IncomingHttpHeaders } from "node:http";
import { checkJson, invalid, isObject } from "../domain/fields.js";
import { LIMITS } from "../domain/limits.js";

/** A value that a service takes may stand this much deeper in a body than it may be nested itself. */
const ENVELOPE_DEPTH = 4;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body. None counts as `{}`. Bytes that aren't UTF-8 are refused and not replaced, and `__proto__` is
 * refused before anything else sees the value.
 */
export function readBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const body = parseJson(bytes);
  if (!isObject(body)) throw invalid("body", "must be an object");
  checkJson(body, "", LIMITS.jsonDepthMax + ENVELOPE_DEPTH);
  return body;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    // The parser's own message quotes the text around the fault.
    throw invalid("body", "isn't JSON in UTF-8");
  }
}

/** A request that takes no body has none: what it says would be ignored otherwise. */
export function refuseUnreadBody(headers: IncomingHttpHeaders): void {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined && (length === undefined || length === "0")) return;
  throw invalid("body", "isn't taken by this operation");
}
