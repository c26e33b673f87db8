import type { Pin } from "../domain/pin.js";
import type { RecallAsk } from "../policy/question.js";
import { findRunState } from "../storage/queries/run-find-state.js";
import type { Caller } from "./caller.js";
import type { RecallInput } from "./inputs/pack.js";
import type { Services } from "./services.js";

/**
 * What the policy is asked about a recall. Under autonomy 2 and 3 recall is open in some stages only; the current stage
 * comes from the run's row, never from the caller.
 */
export async function recallAsk(
  services: Services,
  caller: Caller,
  pin: Pin,
  input: RecallInput,
): Promise<RecallAsk> {
  const ask = {
    allRoutes: false,
    ...(input.source_routes === undefined ? {} : { sourceRoutes: input.source_routes }),
  };
  if (pin.route.autonomy < 2) return ask;
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[state]] = await services.store.transact(permit, (tx) =>
    tx.commit([findRunState(permit, pin.run)]),
  );
  const stage = state === undefined ? undefined : pin.route.stages[state.resumeIndex];
  return stage === undefined ? ask : { ...ask, stageId: stage.stage_id };
}
