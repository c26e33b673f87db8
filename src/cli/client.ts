import { ERROR_KINDS, type ErrorKind, MunimentError } from "../domain/errors.js";
import { NEXT_STEP_OF } from "../http/problem.js";

type Method = "GET" | "POST" | "PUT";

export interface Reply<Body> {
  readonly status: number;
  readonly requestId: string;
  readonly body: Body;
}

/** Problem details as the service answers them. */
interface Problem {
  readonly type?: unknown;
  readonly detail?: unknown;
  readonly field?: unknown;
  readonly next_step?: unknown;
}

/** Writes a path with its values encoded. A value `.` or `..` would be taken for a step in the path. */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((whole, text, index) => {
    const value = values[index - 1] ?? "";
    if (value === "." || value === "..") {
      throw new MunimentError("invalid_input", "an id can't be `.` or `..`");
    }
    return `${whole}${encodeURIComponent(value)}${text}`;
  });
}

/** Query string of the values that are given. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) given.set(key, String(value));
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** One caller of the service. */
export class Client {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** The reply's body. Throws what the service refuses, as the service says it. */
  async call<Body>(method: Method, at: string, body?: unknown): Promise<Body> {
    return (await this.send<Body>(method, at, body)).body;
  }

  /** The same with status and request id. */
  async send<Body>(method: Method, at: string, body?: unknown): Promise<Reply<Body>> {
    const reply = await this.ask(method, at, body);
    if (reply.status < 400) return reply as Reply<Body>;
    throw refusalOf(reply.body as Problem);
  }

  /** Lines of a reply as they come, without their line feeds. Throws what the service refuses. */
  async *lines(at: string): AsyncGenerator<string, void, undefined> {
    const response = await fetch(`${this.#url}${at}`, {
      redirect: "error",
      headers: { authorization: `Bearer ${this.#token}` },
    }).catch((cause: unknown) => {
      throw unanswered(this.#url, cause);
    });
    const { body } = response;
    if (response.status >= 400 || body === null)
      throw refusalOf(parse(await response.text(), this.#url) as Problem);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const piece of body) {
        const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } catch (cause) {
      throw new MunimentError("unavailable", "the reply was cut off: ask again", { cause });
    }
    if (rest !== "") yield rest;
  }

  /** Whatever the service answers, refusals too. Throws `unavailable` where it doesn't answer. */
  async ask(method: Method, at: string, body?: unknown): Promise<Reply<unknown>> {
    const response = await fetch(`${this.#url}${at}`, {
      method,
      redirect: "error",
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw unanswered(this.#url, cause);
    });
    const requestId = response.headers.get("x-request-id") ?? "";
    const text = await response.text().catch((cause: unknown) => {
      throw unanswered(this.#url, cause);
    });
    return { status: response.status, requestId, body: parse(text, this.#url) };
  }
}

function unanswered(url: string, cause: unknown): MunimentError {
  return new MunimentError("unavailable", `the service at ${url} doesn't answer`, { cause });
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MunimentError("unavailable", `what answers at ${url} isn't this service`, { cause });
  }
}

/** Kind of a refusal, from the reference to its page. */
export function kindOf(problem: unknown): ErrorKind {
  const type = String((problem as Problem | null)?.type ?? "");
  const last = type.slice(type.lastIndexOf("/") + 1);
  return ERROR_KINDS.find((kind) => kind === last) ?? "internal";
}

function refusalOf(problem: Problem): MunimentError {
  const { detail, field, next_step } = problem;
  const kind = kindOf(problem);
  // What helps with all refusals of a kind is said in words of the command line.
  const isItsOwn = typeof next_step === "string" && next_step !== NEXT_STEP_OF[kind];
  return new MunimentError(kind, String(detail ?? "the service failed"), {
    ...(typeof field === "string" && { field }),
    ...(isItsOwn && { nextStep: next_step }),
  });
}
