import { assert, must, NOT_FOUND } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import type { Decision, Permit, Refusal, Scope } from "../domain/permit.js";
import { mintPermit } from "../domain/permit.js";
import type { Principal } from "../domain/principal.js";
import { toEvaluation, toInternalEvaluation } from "./evaluation.js";
import type { Pdp, Verdict } from "./pdp.js";
import type { AskedAction, InternalAction, Question } from "./question.js";
import { INTERNAL_ACTIONS } from "./question.js";
import { scopeOf, tenantScope } from "./scope.js";

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
  refusalPermit(principal: Principal, now: Date): Permit<"record_refusal">;
  readonly policySetHash: string;
}

export interface PolicyParts {
  readonly pdp: Pdp;
  /** For the operator's log: the decision point failed, and the question was denied. */
  readonly onFault?: (cause: unknown) => void;
}

/** A claim that names nothing in our rows: the caller is bound to something that it can't reach. */
function hasUnresolvedClaim({ principal: { claims }, bound, resource }: Question): boolean {
  if (resource.type === "route" || resource.type === "field" || resource.type === "tenant")
    return false;
  return (
    (claims.subject !== undefined && !isUuid(bound.subject)) ||
    (claims.session !== undefined && !isUuid(bound.session))
  );
}

/** A second fence behind the policy files: whatever they allow, no permit leaves what the credential is bound to. */
function assertWithinCredential(scope: Scope, { principal, bound }: Question): void {
  const { tenant, workspace, claims } = principal;
  const holds =
    scope.tenant === tenant &&
    scope.workspace === workspace &&
    (scope.subject === undefined ||
      bound.subject === undefined ||
      scope.subject === bound.subject) &&
    (scope.session === undefined ||
      bound.session === undefined ||
      scope.session === bound.session) &&
    [scope.run, scope.targetRun].every(
      (run) => run === undefined || claims.run === undefined || run === claims.run,
    );
  assert(holds, "the policy set allows what the credential doesn't reach");
}

export function createPolicy({ pdp, onFault }: PolicyParts): Policy {
  const { policySetHash } = pdp;

  function decide(question: Parameters<Pdp["decide"]>[0]): Verdict {
    const verdict = pdp.decide(question);
    if (verdict.fault !== undefined) onFault?.(verdict.fault);
    return verdict;
  }

  function decisionOf({ verdict, policyIds }: Pick<Verdict, "verdict" | "policyIds">): Decision {
    return { verdict, policyIds, policySetHash };
  }

  function internalPermit<A extends InternalAction>(
    principal: Principal,
    action: A,
    now: Date,
  ): Permit<A> {
    const verdict = decide(toInternalEvaluation(principal, action));
    assert(verdict.verdict === "allow", `the policy set denies ${action}`);
    return mintPermit(action, tenantScope(principal, now), decisionOf(verdict));
  }

  return {
    policySetHash,
    enforce: <A extends AskedAction>(question: Question<A>) => {
      const internal = (INTERNAL_ACTIONS as readonly string[]).includes(question.action);
      assert(!internal, "a step of the request path isn't asked for");
      if (hasUnresolvedClaim(question)) {
        return { ...NOT_FOUND, decision: decisionOf({ verdict: "deny", policyIds: [] }) };
      }
      // Before the question: a pin without its keys is a bug, whatever the policy would say.
      const scope = scopeOf(question);
      const verdict = decide(toEvaluation(question));
      const decision = decisionOf(verdict);
      if (verdict.verdict === "allow") {
        assertWithinCredential(scope, question);
        return mintPermit(question.action, scope, decision);
      }
      return { ...must(verdict.refusal, "refusal of a denial"), decision };
    },
    resolvePermit: (principal, now) => internalPermit(principal, "resolve", now),
    refusalPermit: (principal, now) => internalPermit(principal, "record_refusal", now),
  };
}
