import { closeSync, openSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/** Milliseconds that a holder has to say who it is: one that computes answers late, and is a holder all the same. */
const ANSWER_MS = 500;
const ANSWER_CHARS_MAX = 4_096;

/** Binds a socket and answers each connection with `answer()`; null where somebody else has it. */
export function bindSocket(path: string, answer: () => string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(answer());
    });
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    });
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      resolve(server);
    });
  });
}

export function closeSocket(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** What a socket's holder says of itself: "" where it is too busy to, null where nobody listens. */
export function askHolder(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = "";
    let isConnected = false;
    const socket = connect(path);
    const end = (): void => {
      socket.destroy();
      resolve(isConnected ? said : null);
    };
    socket.setTimeout(ANSWER_MS, end);
    socket.on("connect", () => {
      isConnected = true;
    });
    socket.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(0, ANSWER_CHARS_MAX);
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

/** A socket in a directory whose path may be longer than a socket's name can be. */
export class DirectorySocket {
  readonly #descriptor: number;
  readonly #file: string;
  #server: Server | null = null;

  constructor(dir: string) {
    this.#descriptor = openSync(dir, "r");
    this.#file = join(dir, "lock.sock");
  }

  get #path(): string {
    return `/proc/self/fd/${this.#descriptor}/lock.sock`;
  }

  ask(): Promise<string | null> {
    return askHolder(this.#path);
  }

  /** Replaces what a dead holder left. A file system without sockets goes without this second lock. */
  async bind(answer: () => string): Promise<void> {
    rmSync(this.#file, { force: true });
    this.#server = await bindSocket(this.#path, answer).catch(() => null);
  }

  async close(): Promise<void> {
    if (this.#server !== null) await closeSocket(this.#server);
    closeSync(this.#descriptor);
  }
}
