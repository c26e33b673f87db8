import type { Pin } from "../domain/pin.js";
import { findCompletedStages } from "../storage/queries/run-find-completed.js";
import type { Caller } from "./caller.js";
import type { Services } from "./services.js";

/**
 * The first declared stage whose output the run doesn't hold yet: a caller can't name it, nor move to it without the
 * work. Undefined where the route goes in no stages, where all are complete, and where the run is past its
 * idle clock.
 */
export async function currentStage(
  services: Services,
  caller: Caller,
  pin: Pin,
): Promise<string | undefined> {
  if (pin.route.autonomy < 2) return undefined;
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[completed]] = await services.store.transact(permit, (tx) =>
    tx.commit([findCompletedStages(permit, pin)]),
  );
  if (completed === undefined) return undefined;
  return pin.route.stages.find(({ stage_id }) => !completed.stageIds.includes(stage_id))?.stage_id;
}
