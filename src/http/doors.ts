import type { FastifyInstance, FastifyRequest } from "fastify";
import { MunimentError, must } from "../domain/errors.js";
import type { Services } from "../services/services.js";
import { authenticate, readIdempotencyKey, type Verify } from "./authenticate.js";
import { refuseUnreadBody } from "./body.js";
import type { Door } from "./door.js";
import { LINES_TYPE } from "./line-stream.js";
import { schemaOf } from "./openapi.js";
import { OPERATIONS } from "./operations.js";
import { readQuery, refuseQuery } from "./query.js";
import { createRateLimiter, type RateLimits } from "./rate-limits.js";
import { type RunTokens, withRunToken } from "./run-tokens.js";
import { refuseScopeHeaders } from "./scope-headers.js";

export interface DoorsOptions {
  readonly services: Services;
  readonly verify: Verify;
  readonly limits: RateLimits;
  readonly runTokens?: RunTokens;
}

/**
 * Registers every door behind authentication. The caller is known before the body is read, so that a body which
 * can't be read is refused in the caller's audit trail.
 */
export function registerDoors(app: FastifyInstance, options: DoorsOptions): void {
  const { services, verify } = options;
  const limiter = createRateLimiter(app, options.limits);
  app.addHook("onRequest", async (request, reply) => {
    const caller = await authenticate(services, verify, request).catch(async (error: unknown) => {
      if (isUnauthenticated(error)) await limiter.countFailure(request, reply);
      throw error;
    });
    request.caller = caller;
    request.auditOwed = true;
    await limiter.admitCaller(request, reply);
    refuseScopeHeaders(request.headers);
    if (request.method === "GET") refuseUnreadBody(request.headers);
    request.caller = { ...caller, idempotencyKey: readIdempotencyKey(request) };
  });
  for (const door of OPERATIONS) {
    app.route({
      method: door.method,
      url: door.path,
      schema: schemaOf(door),
      config: { door },
      handler: async (request, reply) => {
        const answer = await perform(options, door, request);
        if (door.isStream) reply.type(LINES_TYPE);
        return reply.code(door.status).send(answer);
      },
    });
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof MunimentError && error.kind === "unauthenticated";
}

async function perform(
  { services, runTokens }: DoorsOptions,
  door: Door,
  request: FastifyRequest,
): Promise<object> {
  const caller = must(request.caller, "caller");
  const params = request.params as Readonly<Record<string, string>>;
  const query = readQuery(request.query);
  if (door.query === undefined) refuseQuery(query);
  const replying = door.run(services, caller, { params, query, body: request.body ?? {} });
  request.auditOwed = false;
  const reply = await replying;
  const startsRun = door.action === "start_run" || door.action === "project_child";
  return runTokens === undefined || !startsRun
    ? reply
    : await withRunToken(runTokens, caller.principal.claims, params, reply);
}
