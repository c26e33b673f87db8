import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { projectSlots } from "../domain/merge.js";
import type { Permit } from "../domain/permit.js";
import { Unmet } from "../domain/unmet.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { listWorkingByRun } from "../storage/queries/working-list-by-run.js";
import { insertWorking } from "../storage/queries/working-write.js";
import { targetScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Transaction } from "../storage/store.js";
import { type findRepeat, refuseRepeat } from "./idempotency.js";
import type { HandoffInput } from "./inputs/run.js";
import type { PinnedRun } from "./pins.js";
import type { Services } from "./services.js";
import { newItemKey, openWorking, sealWorking } from "./working-values.js";

export interface Transfer {
  readonly permit: Permit;
  readonly from: PinnedRun;
  readonly to: PinnedRun;
  readonly names: readonly string[];
  /** Goes along as a row of its own, which no later write of the receiving run replaces. */
  readonly handoff: HandoffInput | undefined;
  /** Look-up of an earlier request's reply: goes with the read. */
  readonly repeat: ReturnType<typeof findRepeat>;
}

/**
 * Reads the named slots of one run and seals them anew for another, with the package. Nothing else of the run travels. The
 * statements go behind one that waits for the subject's row: what was forgotten since the read isn't carried on.
 */
export async function carrySlots(
  services: Services,
  tx: Transaction,
  transfer: Transfer,
): Promise<readonly Statement[]> {
  const { permit, from, to, names, handoff, repeat } = transfer;
  const [[subject], rows, seen] = await tx.send([
    readSubject(permit),
    listWorkingByRun(permit, LIMITS.workingRowsMax),
    ...repeat,
  ]);
  refuseRepeat(seen);
  if (subject === undefined) throw new Unmet("subject_gone");
  const open = openWorking(rows, from.key, services.onAlarm).filter(
    (item) => item.class === "slot",
  );
  const slots = projectSlots(
    open.map((item) => ({ stage_id: item.key, value: item.value })),
    names,
  );
  if (to.pin.route.memory_profile.working === "none") {
    throw new MunimentError("mode_none", "the receiving run's profile keeps no working memory");
  }
  const carried = Object.entries(slots).map(([stage, value]) =>
    sealWorking(to.key, to.pin, { class: "slot", key: stage, version: 1, value }),
  );
  const handed =
    handoff === undefined
      ? []
      : [
          sealWorking(to.key, to.pin, {
            class: "handoff",
            key: newItemKey(),
            version: 1,
            value: handoff,
          }),
        ];
  return [
    requireUnpurged(permit, subject.purgeRevision),
    insertWorking(targetScope(permit), [...carried, ...handed]),
  ];
}
