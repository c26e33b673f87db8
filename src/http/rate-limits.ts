import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { MunimentError } from "../domain/errors.js";

const MINUTE_MS = 60_000;
/** Windows are short, so that who hits a limit waits seconds. */
const WINDOW_MS = 10_000;

export interface RateLimits {
  /** Requests a minute of one caller. */
  readonly requestsPerMinute: number;
  /** Requests without a valid credential a minute from one address. */
  readonly failuresPerMinute: number;
}

export interface RateLimiter {
  /**
   * Counts a request without a valid credential for its address, and refuses instead where there were too many. A valid
   * one is never refused for what others do behind the same address.
   */
  countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** After authentication: counts the request for its caller. */
  admitCaller(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

function perWindow(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * WINDOW_MS) / MINUTE_MS));
}

function refuse(reply: FastifyReply, seconds: number): never {
  reply.header("retry-after", String(Math.max(1, seconds)));
  throw new MunimentError("rate_limited", "too many requests, wait as long as `Retry-After` says");
}

/** Counts in this process alone: a caller of several processes gets as many shares. */
export function createRateLimiter(app: FastifyInstance, limits: RateLimits): RateLimiter {
  const failures = app.createRateLimit({
    max: perWindow(limits.failuresPerMinute),
    timeWindow: WINDOW_MS,
  });
  const callers = app.createRateLimit({
    max: perWindow(limits.requestsPerMinute),
    timeWindow: WINDOW_MS,
    // So `isBanned` tells the first refusal of a window from those after it.
    ban: 1,
    keyGenerator: ({ caller }) => `${caller?.principal.tenant}/${caller?.principal.ref}`,
  });
  return {
    async countFailure(request, reply) {
      const state = await failures(request);
      if (!state.isAllowed && state.isExceeded) refuse(reply, state.ttlInSeconds);
    },
    async admitCaller(request, reply) {
      const state = await callers(request);
      if (state.isAllowed || !state.isExceeded) return;
      // A flood leaves one audit row a window: a row each would cost more than what was refused.
      if (state.isBanned) request.auditOwed = false;
      refuse(reply, state.ttlInSeconds);
    },
  };
}
