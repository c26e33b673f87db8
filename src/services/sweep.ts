import { hoursAfter } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";
import {
  clearExpiredGoals,
  deleteExpiredCheckpoints,
  deleteExpiredPacks,
  deleteExpiredReplies,
  deleteExpiredTurns,
  deleteExpiredWorking,
} from "../storage/queries/expired-delete.js";
import { govern } from "./govern.js";
import { jobCaller } from "./job-caller.js";
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
}

/** Tenants that are read at once. */
const TENANTS_PAGE = 100;

/**
 * Removes what nobody can read any more, tenant by tenant, as the job `sweep`. Only cleaning: each read compares the
 * clocks itself. Bounded per tenant; what is left over goes with the next sweep. A row is left alone for a grace after its
 * end, so that no write that saw it alive loses what it keeps alive. A tenant that can't be swept doesn't keep the others
 * from it: throws an AggregateError once all had their turn.
 */
export async function sweep(services: Services): Promise<readonly SweepReport[]> {
  const reports: SweepReport[] = [];
  const failures: unknown[] = [];
  let after = "";
  for (;;) {
    const tenants = await services.directory.tenants(after, TENANTS_PAGE);
    for (const tenant of tenants) {
      try {
        reports.push(await sweepTenant(services, tenant));
      } catch (error) {
        failures.push(error);
      }
    }
    const last = tenants.at(-1);
    if (last === undefined || tenants.length < TENANTS_PAGE) break;
    after = last;
  }
  if (failures.length === 0) return reports;
  const count = failures.length + reports.length;
  throw new AggregateError(failures, `${failures.length} of ${count} tenants could not be swept`, {
    cause: failures[0],
  });
}

async function sweepTenant(services: Services, tenant: string): Promise<SweepReport> {
  const caller = await jobCaller(services, "sweep", tenant);
  return await govern(services, caller, "sweep", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const until = new Date(op.now.getTime() - LIMITS.sweepGraceMs);
    const expired = { until, limit: LIMITS.sweepRowsMax };
    return await services.store.transact(permit, async (tx) => {
      const [[working], [checkpoints], [turns], [goals], [replies], [packs]] = await tx.send([
        deleteExpiredWorking(permit, expired),
        deleteExpiredCheckpoints(permit, expired),
        deleteExpiredTurns(permit, expired),
        clearExpiredGoals(permit, expired),
        deleteExpiredReplies(permit, expired),
        deleteExpiredPacks(permit, { ...expired, until: hoursAfter(until, -LIMITS.packDays * 24) }),
      ]);
      const report = {
        working: working?.removed ?? 0,
        checkpoints: checkpoints?.removed ?? 0,
        turns: turns?.removed ?? 0,
        goals: goals?.removed ?? 0,
        replies: replies?.removed ?? 0,
        packs: packs?.removed ?? 0,
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
