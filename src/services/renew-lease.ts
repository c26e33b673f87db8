import { LIMITS } from "../domain/limits.js";
import type { ClaimedWork } from "../storage/queries/work-claim.js";
import { renewWork } from "../storage/queries/work-renew.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import type { Services } from "./services.js";

/** Holds on to a job that asks a model more than once. Fails where another worker has it by now: then no more is asked. */
export async function renewLease(
  services: Services,
  caller: Caller,
  work: ClaimedWork,
): Promise<void> {
  await govern(services, caller, "run_work", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    await services.store.transact(permit, (tx) =>
      tx.commit([
        renewWork(permit, work, leaseEnd(op.now)),
        op.audit(permit, { writes: [{ kind: "work", ids: [work.workId] }] }),
      ]),
    );
  });
}

/** Until when a job that is taken now is nobody else's. */
export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LIMITS.workLeaseMinutes * 60_000);
}
