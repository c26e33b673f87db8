import { uuidv7 } from "uuidv7";
import { LIMITS } from "../domain/limits.js";
import { listUnconsolidated } from "../storage/queries/consolidation-insert.js";
import type { Swept } from "../storage/queries/expired-delete.js";
import { queueLeftOver } from "../storage/queries/session-observe.js";
import { sendLostWork, sendWork } from "../storage/queries/work-insert.js";
import type { Caller } from "./caller.js";
import { eachTenant } from "./each-tenant.js";
import { govern } from "./govern.js";
import { queueConsolidation } from "./queue-consolidation.js";
import { clocksOf, oldBy, type SweptKind } from "./retention-clocks.js";
import type { Services } from "./services.js";

/** What each clock removed, by its name, and how many lost jobs were handed to the queue again. */
export interface SweepReport extends Readonly<Record<SweptKind, number>> {
  readonly tenant: string;
  readonly requeued: number;
  /** Sessions that ended without being closed, and were given to observation. */
  readonly observed: number;
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
    return await services.store.transact(permit, async (tx) => {
      const clocks = Object.entries(clocksOf(permit, services.retention));
      const fresh = Array.from({ length: LIMITS.observeLeftOverMax }, () => uuidv7());
      const [[lost], ended, ...removed] = await tx.send([
        sendLostWork(permit, LIMITS.workLostMax),
        queueLeftOver(permit, oldBy(op.now, 0), fresh),
        ...clocks.map(([, statement]) => statement),
      ]);
      const counts = removed.map((rows) => (rows[0] as Swept | undefined)?.removed ?? 0);
      const report = Object.fromEntries(
        clocks.map(([kind], index) => [kind, counts[index] ?? 0]),
      ) as Record<SweptKind, number>;
      const [leftOver] = await tx.send([listUnconsolidated(permit)]);
      const requeued = lost?.sent ?? 0;
      const unobserved = ended.map(({ workId }) => workId);
      const writes = Object.entries(report).map(([kind, count]) => ({
        kind: `expired_${kind}`,
        ids: [],
        count,
      }));
      await tx.commit([
        ...unobserved.map((id) => sendWork(permit, id)),
        ...leftOver.flatMap((of) => queueConsolidation(permit, of)),
        op.audit(permit, {
          writes: [
            ...writes,
            { kind: "work_requeued", ids: [], count: requeued },
            { kind: "work", ids: unobserved },
          ],
        }),
      ]);
      return { tenant, ...report, requeued, observed: unobserved.length };
    });
  });
}
