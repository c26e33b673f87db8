import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { MunimentError } from "../domain/errors.js";
import { PROBLEM_TYPE, problemOf } from "./problem.js";
import type { Log } from "./request-log.js";

/**
 * Answers what never became a request: broken HTTP, too large a head, one that takes too long to arrive. The error
 * carries the bytes that were read, so of it only the code goes to the log.
 */
export function clientErrorHandler(log: Log) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const requestId = randomUUID();
    const { status, refusal } = refusalOf(error.code);
    log.info(
      { request_id: requestId, status, error: refusal.kind, code: error.code },
      "client error",
    );
    if (socket.writable) socket.write(answer(requestId, status, refusal));
    socket.destroy();
  };
}

function refusalOf(code: string | undefined): {
  readonly status: number;
  readonly refusal: MunimentError;
} {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        refusal: new MunimentError("invalid_input", "the request took too long to arrive"),
      };
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        refusal: new MunimentError("too_large", "the path and headers are too large"),
      };
    default:
      return { status: 400, refusal: new MunimentError("invalid_input", "this isn't HTTP") };
  }
}

function answer(requestId: string, status: number, refusal: MunimentError): string {
  const body = JSON.stringify(problemOf(refusal, requestId, status));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "connection: close",
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "",
    body,
  ].join("\r\n");
}
