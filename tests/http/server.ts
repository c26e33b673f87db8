import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { type Logger, pino } from "pino";
import type { ErrorKind } from "../../src/domain/errors.js";
import type { Problem } from "../../src/http/problem.js";
import { createServer, type ServerOptions } from "../../src/http/server.js";
import { createVerifier } from "../../src/policy/credentials.js";
import { type DevClaims, devIssuer, issueDevToken } from "../../src/policy/dev-issuer.js";
import { loadIssuerKey } from "../../src/policy/issuer-key.js";
import { afterFile } from "../setup/after-file.js";
import { type DatabaseKind, temporaryDirectory } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

export interface Ask {
  /** Claims of the caller; null sends no credential. */
  readonly as?: Partial<DevClaims> | null;
  /** A string or bytes are sent as they are. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AuditedRefusal {
  readonly operation: string;
  readonly refusal: ErrorKind | null;
  readonly request_id: string;
}

export interface TestServer {
  readonly app: FastifyInstance;
  readonly m: TestMuniment;
  /** Logs everything until told otherwise. */
  readonly log: Logger;
  /** Lines of the log, as they were written. */
  readonly lines: string[];
  token(claims?: Partial<DevClaims>): Promise<string>;
  ask(
    method: "GET" | "PUT" | "POST" | "HEAD",
    path: string,
    ask?: Ask,
  ): Promise<LightMyRequestResponse>;
  /** Audit rows of a request. */
  audited(reply: LightMyRequestResponse): Promise<readonly AuditedRefusal[]>;
  /** A new session's run of a route that keeps everything. */
  startRun(subject?: string, session?: string): Promise<string>;
}

export const APP: DevClaims = {
  id: "app",
  kind: "service",
  roles: ["app"],
  tenant: "bank-au",
  workspace: "default",
};
export const OPERATOR: DevClaims = { ...APP, id: "olga", kind: "human", roles: ["operator"] };

/** The server over real services, real credentials and a real database. */
export async function openTestServer(
  database: DatabaseKind,
  {
    servicesOf = (m) => m.services,
    ...options
  }: Partial<Omit<ServerOptions, "services" | "verify" | "log">> & {
    readonly logLevel?: string;
    /** What it serves with, where that isn't what was opened. */
    readonly servicesOf?: (m: TestMuniment) => ServerOptions["services"];
  } = {},
): Promise<TestServer> {
  const m = await openTestMuniment(database);
  const key = await loadIssuerKey(await temporaryDirectory(), "dev");
  const verifier = createVerifier([devIssuer(key)], m.clock);
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const app = createServer({
    services: servicesOf(m),
    verify: (token) => verifier.verify(token),
    log,
    ready: async () => ({ ok: true, checks: [] }),
    version: "1.2.3",
    ...options,
  });
  afterFile(() => app.close());
  const token = (claims: Partial<DevClaims> = {}) =>
    issueDevToken(key, { ...APP, ...claims }, m.clock);

  const ask: TestServer["ask"] = async (method, path, { as = APP, body, headers = {} } = {}) =>
    app.inject({
      method,
      url: path,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${await token(as)}` }),
        ...(typeof body === "string" || Buffer.isBuffer(body)
          ? { "content-type": "application/json" }
          : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    });

  let sessions = 0;
  await m.operator().putRoute("fee_explain", routeBody());
  return {
    app,
    m,
    log,
    lines,
    token,
    ask,
    audited: (reply) =>
      m.db.query<AuditedRefusal & Record<string, unknown>>(
        "select operation, refusal, request_id from muniment.audit where request_id = $1 order by audit_id",
        [String(reply.headers["x-request-id"])],
      ),
    startRun: async (subject = "jane", session = `s${++sessions}`) => {
      const path = `/v1/subjects/${subject}/sessions/${session}/runs`;
      const reply = await ask("POST", path, {
        body: { route_id: "fee_explain", goal: "Explain the fee" },
      });
      if (reply.statusCode !== 201) throw new Error(reply.body);
      return reply.json<{ run_id: string }>().run_id;
    },
  };
}

export function problemIn(reply: LightMyRequestResponse): Problem {
  return reply.json<Problem>();
}

/** Kind of a refusal, by the last part of its type. */
export function kindIn(reply: LightMyRequestResponse): string {
  return problemIn(reply).type.split("/").at(-1) ?? "";
}
