import { connect, createServer, type Server, type Socket } from "node:net";

/** A way to PostgreSQL that ends in mid-flight. */
export interface Way {
  readonly port: number;
  /** Statements that were sent since the last `arm`. */
  sent(): number;
  /** After so many statements from now on `cut` is called, and nothing else gets through. */
  arm(statements: number, cut: () => void): void;
  disarm(): void;
  close(): Promise<void>;
}

/** Messages that make the server do something: Execute, and a simple Query. */
const STATEMENTS = [0x45, 0x51];

/** Opens a way to the server at a port of this machine. */
export async function openWay(serverPort: number): Promise<Way> {
  const open = new Set<Socket>();
  let sent = 0;
  let armed: { readonly statements: number; readonly cut: () => void } | null = null;

  /** True once the armed number of statements has been sent. */
  function count(): boolean {
    sent += 1;
    if (armed === null || sent < armed.statements) return false;
    const { cut } = armed;
    armed = null;
    cut();
    return true;
  }

  const server: Server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    const frames = new Frames();
    let isCut = false;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        // What was sent is still worked on: the server reads its end of file behind it.
        if (socket === client) upstream.end();
        else client.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (isCut) return;
      for (const { type, message } of frames.of(bytes)) {
        upstream.write(message);
        if (STATEMENTS.includes(type) && count()) {
          isCut = true;
          upstream.end();
          return;
        }
      }
    });
    upstream.on("data", (bytes) => {
      if (!isCut) client.write(bytes);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    sent: () => sent,
    arm: (statements, cut) => {
      sent = 0;
      armed = { statements, cut };
    },
    disarm: () => {
      armed = null;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Frame {
  /** The message's letter; 0 for the first one of a connection, which has none. */
  readonly type: number;
  readonly message: Buffer;
}

/** Cuts what a client sends into whole messages. */
class Frames {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst = true;

  *of(bytes: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const letters = this.#isFirst ? 0 : 1;
      if (this.#rest.length < letters + 4) return;
      const length = letters + this.#rest.readInt32BE(letters);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = this.#isFirst ? 0 : (message[0] ?? 0);
      this.#isFirst = false;
      yield { type, message };
    }
  }
}
