import { parseDimension, parseDimensionId } from "../domain/dimension-rules.js";
import { LIMITS } from "../domain/limits.js";
import { insertDimension, listDimensions } from "../storage/queries/dimension-find.js";
import type { Caller } from "./caller.js";
import { authorOf, parseReason, splitReason, versionAfter } from "./definition-version.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface PutDimensionReply {
  readonly dimension_id: string;
  readonly version: number;
  /** False where the latest version says the same already: nothing was written. */
  readonly changed: boolean;
  readonly decision: DecisionReply;
}

/** Writes a new version of a dimension. It is observed from then on: what was said before isn't gone through again. */
export function putDimension(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<PutDimensionReply> {
  return govern(services, caller, "put_dimension", async (op) => {
    const dimensionId = parseDimensionId(id, "dimension_id");
    const { definition, reason } = splitReason(body);
    const draft = parseDimension(definition, dimensionId);
    const why = parseReason(reason);
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    makeRepeatable(op, key, [dimensionId, body]);
    const permit = op.permit({ type: "tenant" }, {});
    return await services.store.transact(permit, async (tx) => {
      const [[latest], seen] = await tx.send([
        listDimensions(permit, dimensionId, 1),
        ...findRepeat(op, permit),
      ]);
      refuseRepeat(seen);
      const { version, changed } = versionAfter(latest, { what: "dimension", draft, reason });
      const reply = { dimension_id: dimensionId, version, changed, decision: op.decision() };
      const author = authorOf(caller, key, { table: "dimension", row: dimensionId, version });
      const row = { definition: { ...draft, version }, ...author, reason: why };
      const writes = [{ kind: "dimension", ids: [`${dimensionId}@${version}`] }];
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...(changed ? [insertDimension(permit, row, LIMITS.dimensionsMax)] : []),
        op.audit(permit, changed ? { writes } : {}),
      ]);
      return reply;
    });
  });
}
