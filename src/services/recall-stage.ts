import type { Pin } from "../domain/pin.js";
import type { RecallAsk } from "../policy/asks.js";
import type { Caller } from "./caller.js";
import { currentStage } from "./current-stage.js";
import type { RecallInput } from "./inputs/pack.js";
import type { Services } from "./services.js";

/** What the policy is asked about a recall. Under autonomy 2 and 3 recall is open in some stages only. */
export async function recallAsk(
  services: Services,
  caller: Caller,
  pin: Pin,
  input: Pick<RecallInput, "all_routes" | "source_routes">,
): Promise<RecallAsk> {
  const ask = {
    allRoutes: input.all_routes ?? false,
    ...(input.source_routes === undefined ? {} : { sourceRoutes: input.source_routes }),
  };
  const stageId = await currentStage(services, caller, pin);
  return stageId === undefined ? ask : { ...ask, stageId };
}
