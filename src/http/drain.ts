import type { FastifyInstance } from "fastify";
import { MunimentError } from "../domain/errors.js";

/**
 * Makes `close()` graceful and bounded: new requests are refused, those in flight are answered, and what isn't done
 * after `drainMs` loses its connection.
 */
export function drainOnClose(app: FastifyInstance, drainMs: number): void {
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  app.addHook("onRequest", async () => {
    if (isStopping) throw new MunimentError("unavailable", "the service is stopping, try again");
  });
  app.addHook("onSend", async (_request, reply) => {
    if (isStopping) reply.header("connection", "close");
  });
  app.addHook("preClose", async () => {
    isStopping = true;
    timer = setTimeout(() => app.server.closeAllConnections(), drainMs);
    timer.unref();
  });
  app.addHook("onClose", async () => clearTimeout(timer));
}
