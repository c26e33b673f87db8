import { Duplex } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";

/** `X` and its length: the client says goodbye. The one backend of PGlite stays. */
const TERMINATE = 0x58;

/**
 * The wire protocol to a PGlite in this process. The PostgreSQL client speaks to it as to a socket, so that both
 * databases share every line of the driver: pipelining, prepared statements and the reading of rows.
 */
export class PgliteSocket extends Duplex {
  readonly #db: PGlite;

  constructor(db: PGlite) {
    super();
    this.#db = db;
  }

  // What the client calls on a network socket.
  connect(): this {
    process.nextTick(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#forward(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#forward(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  #forward(bytes: Buffer, done: (error?: Error | null) => void): void {
    if (bytes[0] === TERMINATE) {
      this.push(null);
      done();
      this.destroy();
      return;
    }
    this.#db
      .runExclusive(() => this.#db.execProtocolRaw(bytes))
      .then(
        (answer) => {
          // A client that gave up gets no answers of statements that were under way.
          if (!this.destroyed)
            this.push(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength));
          done();
        },
        (error: unknown) => done(error instanceof Error ? error : new Error("PGlite failed")),
      );
  }
}
