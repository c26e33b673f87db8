import { randomUUID } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type ErrorKind, MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Services } from "../services/services.js";
import type { Verify } from "./authenticate.js";
import { readBody, refuseEncoded } from "./body.js";
import { clientErrorHandler } from "./client-error.js";
import { registerDoors } from "./doors.js";
import { drainOnClose } from "./drain.js";
import { registerErrorPages } from "./error-pages.js";
import { type Ready, registerHealth } from "./health.js";
import { registerOpenapi } from "./openapi.js";
import { PROBLEM_TYPE, problemOf, STATUS_OF } from "./problem.js";
import type { RateLimits } from "./rate-limits.js";
import { fromFramework, refusalOf } from "./refusal.js";
import { type Log, logRequest } from "./request-log.js";
import { REQUEST_STATE } from "./request-state.js";
import type { RunTokens } from "./run-tokens.js";

export interface ServerOptions {
  readonly services: Services;
  readonly verify: Verify;
  readonly log: Log;
  readonly ready: Ready;
  /** Of the service, for the description of the interface. */
  readonly version: string;
  readonly limits?: Partial<RateLimits>;
  /** Milliseconds that `close()` waits for requests in flight. */
  readonly drainMs?: number;
  /** Which proxies may say where a request comes from: Fastify's `trustProxy`. None by default. */
  readonly trustProxy?: boolean | string;
  /** Issues the token of a new run. Absent: none is issued. */
  readonly runTokens?: RunTokens;
  /** Told of each refusal, to be counted. */
  readonly onRefusal?: (kind: ErrorKind) => void;
}

/** Headers that say how a body is written. */
const UNREADABLE: ReadonlySet<string> = new Set(["content-type", "content-encoding"]);
const HEAD_BYTES_MAX = 16_384;
const HEAD_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
/** Longer than any operation may take: statements and waits for a connection are bounded below. */
const IDLE_MS_MAX = 60_000;
const DRAIN_MS = 10_000;

/** The HTTP interface over the services. `listen()` and `close()` are Fastify's; `close()` is bounded by `drainMs`. */
export function createServer(options: ServerOptions): FastifyInstance {
  const refuse = refuser(options);
  const app = boundedServer(options, refuse);
  for (const [name, value] of Object.entries(REQUEST_STATE)) app.decorateRequest(name, value);
  app.addHook("onRequest", async (request, reply) => decorateReply(request, reply));
  app.addHook("onResponse", async (request, reply) => logRequest(options.log, request, reply));
  drainOnClose(app, options.drainMs ?? DRAIN_MS);
  takeJsonAlone(app);
  refuseErrors(app, options.services, refuse);
  app.register(rateLimit, { global: false });
  registerOpenapi(app, options.version);
  registerHealth(app, options.ready);
  registerErrorPages(app);
  const { requestsPerMinute, failuresPerMinute } = LIMITS;
  const doors = { ...options, limits: { requestsPerMinute, failuresPerMinute, ...options.limits } };
  app.register((scope, _options, done) => {
    registerDoors(scope, doors);
    done();
  });
  return app;
}

function boundedServer({ log, trustProxy }: ServerOptions, refuse: Refuse): FastifyInstance {
  return fastify({
    // Fastify's own lines hold addresses and paths: `request-log.ts` writes what may be written.
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: LIMITS.bodyBytesMax,
    connectionTimeout: IDLE_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    http: { maxHeaderSize: HEAD_BYTES_MAX, headersTimeout: HEAD_MS_MAX },
    trustProxy: trustProxy ?? false,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: HEAD_BYTES_MAX },
    clientErrorHandler: clientErrorHandler(log),
    frameworkErrors: (error, request, reply) => {
      decorateReply(request, reply);
      refuse(request, reply, fromFramework(error));
    },
  });
}

function takeJsonAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async ({ headers }: FastifyRequest, bytes: Buffer) => {
      refuseEncoded(headers);
      return readBody(bytes);
    },
  );
}

function refuseErrors(app: FastifyInstance, services: Services, refuse: Refuse): void {
  app.setErrorHandler(async (error, request, reply) => {
    refuse(request, reply, await refusalOf(services, request, error));
    return reply;
  });
  // No operation, so nothing to govern and nobody to ask: answered before authentication.
  app.setNotFoundHandler((request, reply) => {
    refuse(
      request,
      reply,
      new MunimentError("not_found", "no such operation: /openapi.json lists them"),
    );
  });
}

/** Headers of every reply. */
function decorateReply(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  });
}

type Refuse = (request: FastifyRequest, reply: FastifyReply, refusal: MunimentError) => void;

function refuser({ onRefusal }: ServerOptions): Refuse {
  return (request, reply, refusal) => {
    request.refusal = refusal;
    onRefusal?.(refusal.kind);
    const status = UNREADABLE.has(refusal.field ?? "") ? 415 : STATUS_OF[refusal.kind];
    if (status === 401) reply.header("www-authenticate", "Bearer");
    if (status === 503) reply.header("retry-after", "1");
    reply
      .code(status)
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problemOf(refusal, request.id, status)));
  };
}
