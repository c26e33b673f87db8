import type { IncomingHttpHeaders } from "node:http";
import type { MunimentError } from "../domain/errors.js";
import { fieldPath, invalid, isObject } from "../domain/fields.js";
import { isDeeperThan } from "../domain/json-depth.js";
import { LIMITS } from "../domain/limits.js";
import { changedNumberPath } from "./body-numbers.js";

/** A value that a service takes may stand this much deeper in a body than it may be nested itself. */
const DEPTH_MAX = LIMITS.jsonDepthMax + 4;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body. None counts as `{}`. Bytes that aren't UTF-8 are refused and not replaced. Of its content only
 * `__proto__` and numbers that nobody behind this would see as they were sent are refused here: the rest is the services' to judge, some of which take rows that may be bad one by one.
 */
export function readBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  if (isDeeperThan(DEPTH_MAX, bytes)) throw invalid("body", `is nested deeper than ${DEPTH_MAX}`);
  const text = decode(bytes);
  const body = parseJson(text);
  if (!isObject(body)) throw invalid("body", "must be an object");
  const path = protoPath(body);
  if (path !== null) throw invalid(path, "is not a known key");
  const changed = changedNumberPath(text);
  if (changed !== null) throw invalid(changed, "is a number that can't be kept as it is written");
  return body;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notJson();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw notJson();
  }
}

/** Without a cause: the parser's own message quotes the text around the fault. */
function notJson(): MunimentError {
  return invalid("body", "isn't JSON in UTF-8");
}

/** Path of the first key `__proto__`, or null. */
function protoPath(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner = protoPath(value[index]);
      if (inner !== null) return `${index}.${inner}`;
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return key;
    const inner = protoPath((value as Readonly<Record<string, unknown>>)[key]);
    if (inner !== null) return `${fieldPath("", key)}.${inner}`;
  }
  return null;
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** A body is UTF-8 as it is sent: one that says to be something else isn't read as if it were. */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  const { "content-encoding": encoding = "identity", "content-type": type = "" } = headers;
  if (encoding.toLowerCase() !== "identity") throw invalid("content-encoding", "must be identity");
  const [, charset = "utf-8"] = CHARSET.exec(type) ?? [];
  if (!["utf-8", "utf8"].includes(charset.toLowerCase()))
    throw invalid("content-type", "must be application/json in UTF-8");
}

/** A request that takes no body has none: what it says would be ignored otherwise. */
export function refuseUnreadBody(headers: IncomingHttpHeaders): void {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding === undefined && (length === undefined || length === "0")) return;
  throw invalid("body", "isn't taken by this operation");
}
