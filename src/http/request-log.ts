import type { FastifyReply, FastifyRequest } from "fastify";
import type { ErrorKind } from "../domain/errors.js";
import { describeFault } from "./fault.js";

/** The part of a pino logger that is used here. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Logs a request when it is over. INVARIANT: the pattern of the path and not the path; no query, header, body or
 * token; ids of ours alone.
 */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { caller, refusal } = request;
  const { door } = request.routeOptions.config;
  const fields = {
    request_id: request.id,
    method: request.method,
    route: request.is404 ? null : request.routeOptions.url,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    ...(door === undefined ? {} : { action: door.action }),
    ...(caller === null ? {} : { tenant: caller.principal.tenant }),
    ...(refusal === null ? {} : { error: refusal.kind }),
    ...(refusal?.cause === undefined
      ? {}
      : { fault: describeFault(refusal.cause, isOurs(refusal.kind)) }),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
  };
  log[levelOf(refusal?.kind, door !== undefined)](fields, "request");
}

/** True for what the operator looks up in the code. */
function isOurs(refused: ErrorKind): boolean {
  return refused === "internal" || refused === "unavailable";
}

function levelOf(refused: ErrorKind | undefined, isOperation: boolean): keyof Log {
  if (refused === "internal") return "error";
  if (refused === "unavailable" || refused === "unauthenticated") return "warn";
  return isOperation || refused !== undefined ? "info" : "debug";
}
