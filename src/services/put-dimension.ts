import stringify from "safe-stable-stringify";
import { refuseCredential } from "../domain/credential-text.js";
import type { Dimension, DimensionDefinition } from "../domain/dimension.js";
import { parseDimension, parseDimensionId } from "../domain/dimension-rules.js";
import { invalid, isObject } from "../domain/fields.js";
import { parseText } from "../domain/input.js";
import type { Place } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { insertDimension, listDimensions } from "../storage/queries/dimension-find.js";
import type { Caller } from "./caller.js";
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
    if (!isObject(body)) throw invalid("body", "must be of type object");
    const { reason, ...given } = body;
    const draft = parseDimension(given, dimensionId);
    const why =
      reason === undefined ? "first version" : parseText(reason, "reason", LIMITS.reasonCharsMax);
    refuseCredential(why, "reason");
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    makeRepeatable(op, key, [dimensionId, body]);
    const permit = op.permit({ type: "tenant" }, {});
    return await services.store.transact(permit, async (tx) => {
      const [[latest], seen] = await tx.send([
        listDimensions(permit, dimensionId, 1),
        ...findRepeat(op, permit),
      ]);
      refuseRepeat(seen);
      const changed = latest === undefined || !isSame(latest.definition, draft);
      if (changed && latest !== undefined && reason === undefined)
        throw invalid("reason", "is required: say why the dimension changes");
      const version = changed ? (latest?.version ?? 0) + 1 : latest.version;
      const reply = { dimension_id: dimensionId, version, changed, decision: op.decision() };
      const row = {
        definition: { ...draft, version },
        authorRef: caller.principal.ref,
        authorSealed: key.seal(authorPlace(dimensionId, version), caller.principal.claims.id),
        reason: why,
      };
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

function isSame({ version: _, ...stored }: DimensionDefinition, draft: Dimension): boolean {
  return stringify(stored) === stringify(draft);
}

function authorPlace(dimensionId: string, version: number): Place {
  return { table: "dimension", column: "author_sealed", row: dimensionId, within: "", version };
}
