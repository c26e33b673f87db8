import { hoursAfter } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";
import { ANALYSER_VERSION } from "../recall/terms.js";
import {
  clearExpiredGoals,
  deleteExpiredCheckpoints,
  deleteExpiredPacks,
  deleteExpiredReplies,
  deleteExpiredTurns,
  deleteExpiredWorking,
} from "../storage/queries/expired-delete.js";
import { deleteStaleSegments } from "../storage/queries/segment-delete.js";
import type { Caller } from "./caller.js";
import { eachTenant } from "./each-tenant.js";
import { govern } from "./govern.js";
import type { Services } from "./services.js";

/** How many rows of each kind a sweep removed. */
export interface SweepReport {
  readonly tenant: string;
  readonly working: number;
  readonly checkpoints: number;
  readonly turns: number;
  readonly goals: number;
  readonly replies: number;
  readonly packs: number;
  readonly segments: number;
}

/**
 * Removes what nobody can read any more, tenant by tenant, as the job `sweep`. Only cleaning: each read compares the
 * clocks itself. Bounded per tenant; what is left over goes with the next sweep. A row is left alone for a grace after its
 * end, so that no write that saw it alive loses what it keeps alive.
 */
export function sweep(services: Services): Promise<readonly SweepReport[]> {
  return eachTenant(services, "sweep", (caller, tenant) => sweepTenant(services, caller, tenant));
}

async function sweepTenant(
  services: Services,
  caller: Caller,
  tenant: string,
): Promise<SweepReport> {
  return await govern(services, caller, "sweep", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const until = new Date(op.now.getTime() - LIMITS.sweepGraceMs);
    const expired = { until, limit: LIMITS.sweepRowsMax };
    return await services.store.transact(permit, async (tx) => {
      const [[working], [checkpoints], [turns], [goals], [replies], [packs], [segments]] =
        await tx.send([
          deleteExpiredWorking(permit, expired),
          deleteExpiredCheckpoints(permit, expired),
          deleteExpiredTurns(permit, expired),
          clearExpiredGoals(permit, expired),
          deleteExpiredReplies(permit, expired),
          deleteExpiredPacks(permit, {
            ...expired,
            until: hoursAfter(until, -LIMITS.packDays * 24),
          }),
          deleteStaleSegments(permit, expired, {
            analyser: ANALYSER_VERSION,
            until: hoursAfter(until, -LIMITS.supersededDays * 24),
          }),
        ]);
      const report = {
        working: working?.removed ?? 0,
        checkpoints: checkpoints?.removed ?? 0,
        turns: turns?.removed ?? 0,
        goals: goals?.removed ?? 0,
        replies: replies?.removed ?? 0,
        packs: packs?.removed ?? 0,
        segments: segments?.removed ?? 0,
      };
      const writes = Object.entries(report).map(([kind, count]) => ({
        kind: `expired_${kind}`,
        ids: [],
        count,
      }));
      await tx.commit([op.audit(permit, { writes })]);
      return { tenant, ...report };
    });
  });
}
