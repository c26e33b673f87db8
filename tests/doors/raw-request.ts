import { connect, type Socket } from "node:net";

/** A request that is sent piece by piece, over a socket of its own. */
export interface RawRequest {
  readonly socket: Socket;
  /** What came back so far. */
  said(): string;
  /** Resolves once this has come back; rejects where the connection ends before. */
  heard(text: string): Promise<void>;
  /** Resolves with all that came back, once the connection has ended. */
  readonly ended: Promise<string>;
}

export function rawRequest(port: number, bytes: string): RawRequest {
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
  let said = "";
  socket.on("data", (chunk) => {
    said += chunk.toString("utf8");
  });
  // An aborted connection ends with an error or without: either way it has ended.
  socket.on("error", () => undefined);
  const ended = new Promise<string>((done) => socket.on("close", () => done(said)));
  const heard = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (said.includes(text)) resolve();
      };
      look();
      socket.on("data", look);
      socket.on("close", () => reject(new Error(`the connection ended with: ${said}`)));
    });
  return { socket, said: () => said, heard, ended };
}
