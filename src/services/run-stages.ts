import { slotsOfConditions } from "../domain/next-stage.js";
import type { Pin } from "../domain/pin.js";
import { findCompletedStages } from "../storage/queries/run-find-completed.js";
import { findSlots } from "../storage/queries/working-find-slots.js";
import type { Caller } from "./caller.js";
import type { Services } from "./services.js";
import { openWorking, slotsAndNotes } from "./working-values.js";

/** How far a run has come in its route's stages. */
export interface RunStages {
  readonly completed: readonly string[];
  /** Those that the route's conditions look at. */
  readonly slots: Readonly<Record<string, unknown>>;
}

/** Null where the run is past its idle clock: it holds nothing then. One round trip. */
export async function readRunStages(
  services: Services,
  caller: Caller,
  pin: Pin,
): Promise<RunStages | null> {
  const names = slotsOfConditions(pin.route.stages);
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[run], rows = []] = await services.store.transact(permit, (tx) =>
    tx.commit([
      findCompletedStages(permit, pin),
      ...(names.length === 0 ? [] : [findSlots(permit, pin, names)]),
    ]),
  );
  if (run === undefined) return null;
  const key = await services.keyring.subjectKey(pin.tenant, pin.subject, pin.keyId);
  const open = key === null ? [] : openWorking(rows, key, services.onAlarm);
  return { completed: run.stageIds, slots: slotsAndNotes(open).slots };
}
