import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Settings } from "../config/settings.js";
import { codeOf, MunimentError } from "../domain/errors.js";
import { lockDirectory } from "../storage/drivers/directory-lock.js";

/**
 * Looks whether the port can be had before anything is made or opened. Where a process holds the data directory, that is
 * said instead: it has the port too, as a rule.
 */
export async function refuseTakenPort(settings: Settings): Promise<void> {
  const { host, port, dataDir, databaseUrl } = settings;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject).listen({ host, port }, resolve);
    });
  } catch (cause) {
    if (databaseUrl === undefined && existsSync(dataDir)) {
      const lock = await lockDirectory(dataDir);
      await lock.release();
    }
    throw new MunimentError("unavailable", listenProblem(cause, host, port), { cause });
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** Listens, and answers the URL. */
export async function listen(server: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    throw new MunimentError("unavailable", listenProblem(cause, host, port), { cause });
  }
  const address = server.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return `http://${host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host}:${bound}`;
}

function listenProblem(cause: unknown, host: string, port: number): string {
  const code = codeOf(cause);
  if (code === "EADDRINUSE") {
    return `port ${port} of ${host} is taken: stop what listens there, or choose another --port`;
  }
  if (code === "EACCES") return `port ${port} needs more rights: choose a --port above 1023`;
  if (code === "EADDRNOTAVAIL") return `this machine has no address ${host}: choose another --host`;
  return `nothing can listen on port ${port} of ${host}`;
}
