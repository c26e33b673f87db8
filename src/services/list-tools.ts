import { isReadBy } from "../domain/field.js";
import { LIMITS } from "../domain/limits.js";
import { listFields } from "../storage/queries/field-find.js";
import type { Caller } from "./caller.js";
import { currentStage } from "./current-stage.js";
import { govern } from "./govern.js";
import { toolsFor } from "./governed-tools.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import type { ShownTool } from "./tool-schemas.js";

export interface ListToolsReply {
  readonly tools: readonly ShownTool[];
  readonly decision: DecisionReply;
}

/**
 * Memory tools that a run's model may be shown now: those that the pinned profile, the route's manifest and the policy
 * allow alike. What isn't in the list is denied if the model calls it all the same.
 */
export function listTools(
  services: Services,
  caller: Caller,
  run: string,
): Promise<ListToolsReply> {
  return govern(services, caller, "list_tools", async (op) => {
    const { pin } = await pinOf(op, run);
    const stageId = await currentStage(services, caller, pin);
    const permit = op.permit({ type: "run", pin }, {});
    const { store_fields } = pin.route;
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listFields(permit, store_fields, "", LIMITS.fieldsPerPackMax),
      ]);
      await tx.commit([op.audit(permit, { reads: [{ kind: "tools", ids: [] }] })]);
      return found;
    });
    const fields = rows
      .map((row) => row.definition)
      .filter((definition) => isReadBy(definition, pin.routeId));
    return { tools: toolsFor(op, pin, stageId, fields), decision: op.decision() };
  });
}
