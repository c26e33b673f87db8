import type { MunimentError } from "../domain/errors.js";
import type { Caller } from "../services/caller.js";
import type { Door } from "./door.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Null before authentication. */
    caller: Caller | null;
    /**
     * True where a refusal of this request is ours to audit: from authentication until a service takes over,
     * which audits its own.
     */
    auditOwed: boolean;
    /** What the request was refused with. */
    refusal: MunimentError | null;
  }
  interface FastifyContextConfig {
    /** Absent for what isn't governed: health and the interface's description. */
    readonly door?: Door;
  }
}

/** What a request is decorated with at first. */
export const REQUEST_STATE = { caller: null, auditOwed: false, refusal: null } as const;
