import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifySchema } from "fastify";
import { ERROR_KINDS } from "../domain/errors.js";

const PAGES = new URL("../../docs/errors/", import.meta.url);
const MARKDOWN = "text/markdown; charset=utf-8";

/** The page of each kind of error, where the `type` of problem details points. Needs no credential. */
export function registerErrorPages(app: FastifyInstance): void {
  for (const kind of ERROR_KINDS) {
    app.get(
      `/docs/errors/${kind}`,
      { schema: { hide: true } as FastifySchema },
      async (_request, reply) =>
        reply.type(MARKDOWN).send(await readFile(new URL(`${kind}.md`, PAGES), "utf8")),
    );
  }
}
