import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type DevClaims, issueDevToken } from "../../src/policy/dev-issuer.js";
import { loadIssuerKey } from "../../src/policy/issuer-key.js";
import { QUICK_START } from "../setup/quick-start.js";

const ROOT = resolve(import.meta.dirname, "../..");
const MAIN = join(ROOT, "dist/cli/main.js");

type Method = "GET" | "PUT" | "POST";
type Environment = Readonly<Record<string, string>>;

/** Where a service keeps its data. */
export interface Housing {
  readonly dir: string;
  /** Settings of the service. */
  readonly environment: Environment;
}

export interface Ask {
  /** Claims of a development token; null sends no credential. The application where absent. */
  readonly as?: Partial<DevClaims> | null;
  /** A token as it is, instead of claims. */
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly requestId: string;
  json<T>(): T;
}

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** What it has said so far, on stdout and stderr. */
  output(): string;
  token(claims?: Partial<DevClaims>, seconds?: number): Promise<string>;
  /** A token that was issued at another time. */
  tokenAt(at: Date, claims?: Partial<DevClaims>): Promise<string>;
  ask(method: Method, path: string, ask?: Ask): Promise<Answer>;
  /** Sends a signal, and resolves with the exit code or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

export const APP: DevClaims = {
  id: "app",
  kind: "service",
  roles: ["app"],
  tenant: "bank-au",
  workspace: "default",
};
/** Who answers for privacy. */
export const PRIVACY: DevClaims = {
  ...APP,
  id: "petra",
  kind: "human",
  roles: ["privacy_officer"],
};
export const OPERATOR: DevClaims = { ...APP, id: "olga", kind: "human", roles: ["operator"] };

export const REVIEWER: DevClaims = { ...APP, id: "rita", kind: "human", roles: ["reviewer"] };
export const SUPERVISOR: DevClaims = { ...APP, id: "sam", kind: "human", roles: ["supervisor"] };
export const SETTINGS: DevClaims = { ...APP, id: "settings", roles: ["settings"] };
export const EVALUATOR: DevClaims = { ...APP, id: "evaluator", roles: ["evaluator"] };
export const CONNECTOR: DevClaims = { ...APP, id: "ehr", roles: ["connector"] };
export const RECONCILE: DevClaims = { ...APP, id: "prefs", roles: ["reconcile"] };

/** A customer, bound to a subject, and to a session where one is given. */
export function customer(subject: string, session?: string): Partial<DevClaims> {
  const bound = session === undefined ? { subject } : { subject, session };
  return { id: subject, kind: "human", roles: [], ...bound };
}

interface Started {
  readonly child: ChildProcess;
  readonly exit: Promise<number | NodeJS.Signals | null>;
  output(): string;
}

/** Runs the command line in a process of its own. The environment holds no setting but those given. */
function start(args: readonly string[], environment: Environment): Started {
  if (!existsSync(MAIN)) throw new Error("there is no dist/: run `npm run build` first");
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("MUNIMENT_"));
  const child = spawn(process.execPath, [...QUICK_START, MAIN, ...args], {
    env: { ...Object.fromEntries(clean), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  const exit = new Promise<number | NodeJS.Signals | null>((done) => {
    child.once("close", (code, signal) => done(code ?? signal));
  });
  return { child, exit, output: () => said };
}

export interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly output: string;
}

/** Runs a command until it ends by itself. */
export async function runCommand(
  place: Housing,
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  const { exit, output } = start([...args, "--data-dir", place.dir], {
    ...place.environment,
    ...environment,
  });
  return { code: await exit, output: output() };
}

/** Starts `muniment serve` over a place. Rejects with what it said where it doesn't come up. */
export async function startService(
  place: Housing,
  environment: Environment = {},
): Promise<Service> {
  const args = ["serve", "--data-dir", place.dir, "--port", "0", "--json"];
  const started = start(args, {
    MUNIMENT_LOG_LEVEL: "warn",
    MUNIMENT_REQUESTS_PER_MINUTE: "1000000",
    ...place.environment,
    ...environment,
  });
  return serviceOf(place, started, await urlOf(started));
}

async function urlOf({ child, exit, output }: Started): Promise<string> {
  if (child.stdout === null) throw new Error("no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return (JSON.parse(line) as { readonly url: string }).url;
  }
  throw new Error(`it didn't start: ${await exit} ${output()}`);
}

function serviceOf(place: Housing, { child, exit, output }: Started, url: string): Service {
  // The line reader has taken the stream over; it must flow on for `output`.
  child.stdout?.resume();
  const sign = async (claims: Partial<DevClaims>, now: Date, seconds?: number) => {
    const key = await loadIssuerKey(join(place.dir, "issuers"), "dev");
    return issueDevToken(key, { ...APP, ...claims }, { now: () => now }, seconds);
  };
  const token: Service["token"] = (claims = {}, seconds) => sign(claims, new Date(), seconds);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    output,
    token,
    tokenAt: (at, claims = {}) => sign(claims, at),
    ask: async (method, path, { as = {}, token: given, body, headers = {}, signal } = {}) => {
      const bearer = given ?? (as === null ? null : await token(as));
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        requestId: response.headers.get("x-request-id") ?? "",
        json: <T>() => JSON.parse(text) as T,
      };
    },
    end: async (signal) => {
      child.kill(signal);
      return await exit;
    },
  };
}

/** Kind of a refusal, by the last part of its type. */
export function kindOf(answer: Answer): string | null {
  if (answer.status < 400) return null;
  return answer.json<{ readonly type: string }>().type.split("/").at(-1) ?? "";
}

/** Fails with what was answered where it isn't a success. */
export async function succeed<T>(asked: Promise<Answer>): Promise<T> {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<T>();
}
