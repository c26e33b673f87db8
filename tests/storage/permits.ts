import type { Action } from "../../src/domain/action.js";
import { type KeyId, type RouteId, trustedId } from "../../src/domain/ids.js";
import { mintPermit, type Permit, type Scope } from "../../src/domain/permit.js";

const DECISION = { verdict: "allow", policyIds: ["test"], policySetHash: "test" } as const;

/** A permit as the policy would mint it, for suites of storage alone. */
export function permitFor(
  scope: Partial<Scope> & Pick<Scope, "tenant">,
  action: Action = "list_turns",
): Permit {
  return mintPermit(
    action,
    {
      workspace: trustedId<"WorkspaceId">(crypto.randomUUID()),
      breadth: scope.subject === undefined ? "tenant" : "subject",
      recallFrom: [] as readonly RouteId[],
      keyId: trustedId<"KeyId">(crypto.randomUUID()) as KeyId,
      now: new Date("2026-03-01T09:30:00Z"),
      ...scope,
    },
    DECISION,
  );
}
