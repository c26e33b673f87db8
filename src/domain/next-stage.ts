import type { Stage } from "./route.js";
import { type SlotCondition, slotHolds } from "./slot-condition.js";

type Slots = Readonly<Record<string, unknown>>;

/** Slots that decide where a run of these stages goes on. */
export function slotsOfConditions(stages: readonly Stage[]): readonly string[] {
  const conditions = stages.flatMap(({ when, gate }) => [when, gate]);
  return [...new Set(conditions.flatMap((it) => (it === undefined ? [] : [slotOf(it)])))];
}

/**
 * The first stage that is neither complete nor passed over. Undefined where there is none, and where the run waits before
 * the next one's gate.
 */
export function nextStage(
  stages: readonly Stage[],
  completed: readonly string[],
  slots: Slots,
): Stage | undefined {
  for (const stage of stages) {
    if (completed.includes(stage.stage_id)) continue;
    if (!gateHolds(stage, slots)) return undefined;
    if (stage.when === undefined || slotHolds(stage.when, slots)) return stage;
  }
  return undefined;
}

export function gateHolds({ gate }: Pick<Stage, "gate">, slots: Slots): boolean {
  return gate === undefined || slotHolds(gate, slots);
}

function slotOf({ slot }: SlotCondition): string {
  return slot.split(".", 1)[0] ?? slot;
}
