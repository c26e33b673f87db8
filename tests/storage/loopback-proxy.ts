import { connect, createServer, type Socket } from "node:net";

export interface LoopbackProxy {
  /** The same URL through the proxy. */
  readonly url: string;
  /** How often the client spoke after the server had: what each of them waits for is a round trip. */
  roundTrips(): number;
  /** Breaks every connection in mid-flight. */
  breakAll(): void;
  close(): Promise<void>;
}

/** Stands between a client and a server on loopback, to count round trips and to break connections. */
export async function startProxy(target: string): Promise<LoopbackProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let roundTrips = 0;
  const server = createServer((client) => {
    let hasClientSpoken = false;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (!hasClientSpoken) roundTrips += 1;
      hasClientSpoken = true;
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      hasClientSpoken = false;
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  const breakAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    breakAll,
    close: () => {
      breakAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
