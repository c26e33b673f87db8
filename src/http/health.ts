import type { FastifyInstance, FastifySchema } from "fastify";
import { z } from "zod";

export interface Readiness {
  readonly ok: boolean;
  /** Names of what was looked at; details are for the operator's log. */
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
}

/** Looks whether the database answers, is migrated, and has its custody. */
export type Ready = () => Promise<Readiness>;

const ready200 = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean() })),
});

/** How the two stand in the description: open to all. */
const SCHEMAS = {
  health: {
    operationId: "health",
    summary: "The process is up",
    security: [],
    response: { 200: z.object({ status: z.literal("ok") }) },
  },
  ready: {
    operationId: "ready",
    summary: "It can serve: the database answers, is migrated, and has its custody",
    security: [],
    response: { 200: ready200, 503: ready200 },
  },
} as const satisfies Record<string, FastifySchema>;

/** `/health`: the process is up. `/ready`: it can serve. Neither needs a credential, neither tells more than that. */
export function registerHealth(app: FastifyInstance, ready: Ready): void {
  app.get("/health", { schema: SCHEMAS.health }, () => ({ status: "ok" }));
  app.get("/ready", { schema: SCHEMAS.ready }, async (_request, reply) => {
    const { ok, checks } = await ready().catch((): Readiness => ({ ok: false, checks: [] }));
    const shown = checks.map((check) => ({ name: check.name, ok: check.ok }));
    return reply.code(ok ? 200 : 503).send({ ready: ok, checks: shown });
  });
}
