import { assert, unreachable } from "../domain/errors.js";
import { isUuid } from "../domain/ids.js";
import type { Scope } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Principal } from "../domain/principal.js";
import type { IsolationKey } from "../domain/profile.js";
import { ISOLATION_KEYS } from "../domain/profile.js";
import { recallableRoutes } from "./evaluation.js";
import type { Question } from "./question.js";

const PIN_KEY = { tenant: "tenant", user: "subject", session: "session" } as const satisfies Record<
  IsolationKey,
  keyof Pin
>;

/**
 * S1-08: the permit carries every isolation key, those beyond the profile's own list included, since rows are keyed by
 * all of them. A missing one is a bug above us and stops here; it never makes a wider query.
 */
function assertIsolated(pin: Pin): void {
  for (const key of new Set([...ISOLATION_KEYS, ...pin.route.memory_profile.isolation])) {
    const column = Object.hasOwn(PIN_KEY, key) ? PIN_KEY[key] : undefined;
    assert(column !== undefined && isUuid(pin[column]), `isolation key ${key} of a pin is missing`);
  }
  assert(
    isUuid(pin.workspace) && isUuid(pin.run) && isUuid(pin.keyId),
    "a pin lacks its workspace, run or key",
  );
}

function scopeOfPin(pin: Pin, target: Pin | undefined, now: Date): Scope {
  assertIsolated(pin);
  if (target !== undefined) assertIsolated(target);
  return {
    tenant: pin.tenant,
    workspace: pin.workspace,
    breadth: "subject",
    subject: pin.subject,
    keyId: pin.keyId,
    session: pin.session,
    run: pin.run,
    ...(pin.parent !== undefined && { turnsOf: pin.run }),
    ...(target !== undefined && { targetRun: target.run }),
    recallFrom: recallableRoutes(pin.route),
    now,
  };
}

/** The caller's tenant as a whole: routes, the audit trail, look-ups. */
export function tenantScope(principal: Principal, now: Date): Scope {
  const { tenant, workspace } = principal;
  assert(isUuid(tenant) && isUuid(workspace), "a principal lacks its tenant or workspace");
  return { tenant, workspace, breadth: "tenant", recallFrom: [], now };
}

/** What the permit opens. INVARIANT: from the principal and our own rows alone; nothing of a request's body widens it. */
export function scopeOf({ resource, principal, now }: Question): Scope {
  switch (resource.type) {
    case "run":
      return scopeOfPin(resource.pin, "target" in resource ? resource.target : undefined, now);
    case "subject": {
      const { subject, keyId, route } = resource;
      assert(isUuid(subject) && isUuid(keyId), "a subject lacks its id or key");
      return {
        ...tenantScope(principal, now),
        breadth: "subject",
        subject,
        keyId,
        recallFrom: recallableRoutes(route),
      };
    }
    case "session": {
      const { subject, keyId, session } = resource;
      assert(
        isUuid(subject) && isUuid(keyId) && isUuid(session),
        "a session lacks its id, subject or key",
      );
      return { ...tenantScope(principal, now), breadth: "subject", subject, keyId, session };
    }
    case "memory": {
      const { subject, keyId } = resource;
      assert(isUuid(subject) && isUuid(keyId), "a memory lacks its subject or key");
      return { ...tenantScope(principal, now), breadth: "subject", subject, keyId };
    }
    case "store": {
      const { subject, keyId, workspace } = resource;
      assert(isUuid(subject) && isUuid(keyId) && isUuid(workspace), "a store lacks its keys");
      return { ...tenantScope(principal, now), breadth: "subject", subject, keyId, workspace };
    }
    case "route":
    case "field":
    case "tenant":
      return tenantScope(principal, now);
    default:
      return unreachable(resource);
  }
}
