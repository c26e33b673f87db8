import { once } from "node:events";
import { MunimentError } from "../domain/errors.js";
import { createMetricsServer } from "../http/metrics.js";
import type { Services } from "../services/services.js";
import { figuresOf } from "./figures.js";

const HOST = "127.0.0.1";

/** Serves the process's figures to this machine alone: they need no credential. Gives what stops it. */
export async function serveMetrics(services: Services, port: number): Promise<() => Promise<void>> {
  const server = createMetricsServer(() => figuresOf(services));
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (cause) {
    const problem = `nothing can listen on port ${port} of ${HOST}: choose another MUNIMENT_METRICS_PORT`;
    throw new MunimentError("unavailable", problem, { cause });
  }
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}
