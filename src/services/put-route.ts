import { refuseCredential } from "../domain/credential-text.js";
import { parseRouteId } from "../domain/input.js";
import type { Route } from "../domain/route.js";
import { parseRoute } from "../domain/route-rules.js";
import { findRoute } from "../storage/queries/route-find.js";
import { insertRoute } from "../storage/queries/route-write.js";
import type { Caller } from "./caller.js";
import { authorOf, parseReason, splitReason, versionAfter } from "./definition-version.js";
import { besideOthers } from "./first-writers.js";
import { govern } from "./govern.js";
import { keepReply, makeRepeatable } from "./idempotency.js";
import type { DecisionReply } from "./operation.js";
import { hashProfile } from "./routes.js";
import type { Services } from "./services.js";

export interface PutRouteReply {
  readonly route_id: string;
  readonly version: number;
  /** False where the latest version says the same already: nothing was written. */
  readonly changed: boolean;
  readonly decision: DecisionReply;
}

/** Writes a new version of a route row. Old versions stay readable, live pins keep theirs. */
export function putRoute(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<PutRouteReply> {
  return govern(services, caller, "put_route", async (op) => {
    const routeId = parseRouteId(id, "route_id");
    const { definition, reason } = splitReason(body);
    const draft = parseRoute(definition, routeId);
    refuseCredential(JSON.stringify(draft), "body");
    const why = parseReason(reason);
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    makeRepeatable(op, key, [routeId, body]);
    const asked: Route = { ...draft, version: 1 };
    return await besideOthers(async (lost) => {
      const permit = op.permit({ type: "route", route: asked }, {});
      return await services.store.transact(permit, async (tx) => {
        const [[latest]] = await tx.send([findRoute(permit, routeId, null)]);
        const { version, changed } = versionAfter(latest, { what: "route", draft, reason, lost });
        const reply = { route_id: routeId, version, changed, decision: op.decision() };
        const row = {
          route: { ...draft, version },
          profileHash: hashProfile(draft.memory_profile),
          ...authorOf(caller, key, { table: "route", row: routeId, version }),
          reason: why,
        };
        const writes = [{ kind: "route", ids: [`${routeId}@${version}`] }];
        await tx.commit([
          ...keepReply(op, permit, reply),
          ...(changed ? [insertRoute(permit, row)] : []),
          op.audit(permit, changed ? { writes } : {}),
        ]);
        return reply;
      });
    });
  });
}
