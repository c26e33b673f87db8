import { createHash } from "node:crypto";
import { MunimentError } from "../domain/errors.js";
import type { RouteId } from "../domain/ids.js";
import type { Principal } from "../domain/principal.js";
import type { MemoryProfile } from "../domain/profile.js";
import { profileText } from "../domain/profile-rules.js";
import { findRoute, type RouteRow } from "../storage/queries/route-find.js";
import type { Services } from "./services.js";

/** Hash of a whole profile: a run's copy is compared by it. */
export function hashProfile(profile: MemoryProfile): string {
  return createHash("sha256").update(profileText(profile)).digest("hex");
}

/** The latest version of a route, for a decision that will pin it. */
export async function latestRoute(
  services: Services,
  principal: Principal,
  routeId: RouteId,
): Promise<RouteRow> {
  const permit = services.policy.resolvePermit(principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findRoute(permit, routeId, null)]),
  );
  if (row === undefined) throw new MunimentError("not_found", "no such route: apply it first");
  return row;
}
