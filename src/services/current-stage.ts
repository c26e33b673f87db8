import { nextStage } from "../domain/next-stage.js";
import type { Pin } from "../domain/pin.js";
import type { Caller } from "./caller.js";
import { readRunStages } from "./run-stages.js";
import type { Services } from "./services.js";

/**
 * The first declared stage whose output the run doesn't hold yet and which its branch doesn't pass over: a caller can't name
 * it, nor move to it without the work. Undefined where the route goes in no stages, where all are complete, where the run
 * waits before a gate, and where it is past its idle clock.
 */
export async function currentStage(
  services: Services,
  caller: Caller,
  pin: Pin,
): Promise<string | undefined> {
  if (pin.route.autonomy < 2) return undefined;
  const run = await readRunStages(services, caller, pin);
  return run === null ? undefined : nextStage(pin.route.stages, run.completed, run.slots)?.stage_id;
}
