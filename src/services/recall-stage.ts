import type { Pin } from "../domain/pin.js";
import type { RecallAsk } from "../policy/question.js";
import { findCompletedStages } from "../storage/queries/run-find-completed.js";
import type { Caller } from "./caller.js";
import type { RecallInput } from "./inputs/pack.js";
import type { Services } from "./services.js";

/**
 * What the policy is asked about a recall. Under autonomy 2 and 3 recall is open in some stages only; the current stage
 * is the first one whose output the run doesn't hold yet: a caller can't name it, nor move to it without the work.
 */
export async function recallAsk(
  services: Services,
  caller: Caller,
  pin: Pin,
  input: RecallInput,
): Promise<RecallAsk> {
  const ask = {
    allRoutes: input.all_routes ?? false,
    ...(input.source_routes === undefined ? {} : { sourceRoutes: input.source_routes }),
  };
  if (pin.route.autonomy < 2) return ask;
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[completed]] = await services.store.transact(permit, (tx) =>
    tx.commit([findCompletedStages(permit, pin)]),
  );
  const stage =
    completed && pin.route.stages.find(({ stage_id }) => !completed.stageIds.includes(stage_id));
  return stage === undefined ? ask : { ...ask, stageId: stage.stage_id };
}
