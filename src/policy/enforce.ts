import type { SubjectId } from "../domain/ids.js";
import type { Permit, Refusal } from "../domain/permit.js";
import type { Principal } from "../domain/principal.js";
import type { Pdp } from "./pdp.js";
import type { AskedAction, Question } from "./question.js";

/** Policy enforcement point: the one place that mints permits. */
export interface Policy {
  /**
   * Asks and mints. The permit's scope comes from the principal and the resource's own rows alone.
   * Throws `internal` where a pin lacks an isolation key of its profile.
   */
  enforce<A extends AskedAction>(question: Question<A>): Permit<A> | Refusal;
  /** For look-ups by which a service resolves external ids, pins and routes. Breadth: tenant. */
  resolvePermit(principal: Principal, now: Date): Permit<"resolve">;
  /** For the audit row of a refusal. Breadth: tenant. */
  refusalPermit(principal: Principal, now: Date, subject?: SubjectId): Permit<"record_refusal">;
  readonly policySetHash: string;
}

export interface PolicyParts {
  readonly pdp: Pdp;
}

export declare function createPolicy(parts: PolicyParts): Policy;
