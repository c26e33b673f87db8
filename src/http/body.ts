import type { IncomingHttpHeaders } from "node:http";
import { fieldPath, invalid, isObject } from "../domain/fields.js";
import { LIMITS } from "../domain/limits.js";

/** A value that a service takes may stand this much deeper in a body than it may be nested itself. */
const DEPTH_MAX = LIMITS.jsonDepthMax + 4;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON body. None counts as `{}`. Bytes that aren't UTF-8 are refused and not replaced. */
export function readBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const body = parseJson(bytes);
  if (!isObject(body)) throw invalid("body", "must be an object");
  refuseShape(body, "", DEPTH_MAX);
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

/**
 * Refuses what could harm the code that reads it: `__proto__` and endless nesting. Everything else is the services' to
 * judge: some take a list of rows of which each may be bad by itself.
 */
function refuseShape(value: unknown, field: string, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) throw invalid("body", `is nested deeper than ${DEPTH_MAX}`);
  for (const [key, item] of Object.entries(value)) {
    const path = fieldPath(field, key);
    if (key === "__proto__") throw invalid(path, "is not a known key");
    refuseShape(item, path, depth - 1);
  }
}

/** A request that takes no body has none: what it says would be ignored otherwise. */
export function refuseUnreadBody(headers: IncomingHttpHeaders): void {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined && (length === undefined || length === "0")) return;
  throw invalid("body", "isn't taken by this operation");
}
