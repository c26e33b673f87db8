import type { Dimension } from "../domain/dimension.js";
import { LIMITS } from "../domain/limits.js";
import { PLATFORM_DIMENSIONS } from "../domain/platform-dimensions.js";
import { listDimensions as list } from "../storage/queries/dimension-find.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface DimensionView {
  readonly dimension: Dimension;
  /** 0 for those that every tenant has. */
  readonly version: number;
  readonly origin: "platform" | "tenant";
}

export interface ListDimensionsReply {
  readonly dimensions: readonly DimensionView[];
  readonly decision: DecisionReply;
}

/** All that is observed of the tenant's people: the dimensions that every tenant has, then its own. */
export function listDimensions(services: Services, caller: Caller): Promise<ListDimensionsReply> {
  return govern(services, caller, "list_dimensions", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([list(permit, null, LIMITS.dimensionsMax)]);
      const ids = found.map(({ dimensionId, version }) => `${dimensionId}@${version}`);
      await tx.commit([op.audit(permit, { reads: [{ kind: "dimension", ids }] })]);
      return found;
    });
    const own = rows.map(({ definition: { version, ...dimension } }) => ({
      dimension,
      version,
      origin: "tenant" as const,
    }));
    const platform = PLATFORM_DIMENSIONS.map((dimension) => ({
      dimension: { ...dimension, cues: services.cues.phrasesOf(dimension.dimension_id) },
      version: 0,
      origin: "platform" as const,
    }));
    return { dimensions: [...platform, ...own], decision: op.decision() };
  });
}
