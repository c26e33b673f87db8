import { createServer, type Server } from "node:http";

/** What the process counts, by name. One whose name ends in `_total` only grows. */
export type Figures = Readonly<Record<string, number>>;

/** Serves `/metrics` in the text form that Prometheus reads: figures of the whole process, of no tenant and no person. */
export function createMetricsServer(read: () => Figures): Server {
  return createServer((request, reply) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      reply.writeHead(404).end();
      return;
    }
    reply.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(textOf(read()));
  });
}

function textOf(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => {
      const type = name.endsWith("_total") ? "counter" : "gauge";
      return `# TYPE ${name} ${type}\n${name} ${value}\n`;
    })
    .join("");
}
