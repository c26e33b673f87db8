import type { FastifyInstance } from "fastify";

export interface Readiness {
  readonly ok: boolean;
  /** Names of what was looked at; details are for the operator's log. */
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
}

/** Looks whether the database answers, is migrated, and has its custody. */
export type Ready = () => Promise<Readiness>;

/** `/health`: the process is up. `/ready`: it can serve. Neither needs a credential, neither tells more than that. */
export function registerHealth(app: FastifyInstance, ready: Ready): void {
  app.get("/health", () => ({ status: "ok" }));
  app.get("/ready", async (_request, reply) => {
    const { ok, checks } = await ready().catch((): Readiness => ({ ok: false, checks: [] }));
    const shown = checks.map((check) => ({ name: check.name, ok: check.ok }));
    return reply.code(ok ? 200 : 503).send({ ready: ok, checks: shown });
  });
}
