import { LIMITS } from "../domain/limits.js";
import { listEndedSubjects } from "../storage/queries/subject-list-ended.js";
import { eachTenant } from "./each-tenant.js";
import { forgetErased, rememberedSubjects } from "./forget-subject.js";
import type { Services } from "./services.js";

/**
 * Lets go of what this process remembers of people whom another one has erased: nothing can be read through it, but it is
 * theirs. Asks for those alone whom it remembers. Gives how many it let go of.
 */
export async function forgetEnded(services: Services): Promise<number> {
  const counts = await eachTenant(services, "sweep", async ({ principal }) => {
    const { tenant } = principal;
    const remembered = rememberedSubjects(services, tenant);
    let forgotten = 0;
    for (let from = 0; from < remembered.length; from += LIMITS.pageRowsMax) {
      const page = remembered.slice(from, from + LIMITS.pageRowsMax);
      const permit = services.policy.resolvePermit(principal, services.clock.now());
      const [ended] = await services.store.transact(permit, (tx) =>
        tx.commit([listEndedSubjects(permit, page)]),
      );
      for (const { subjectId } of ended) forgetErased(services, tenant, subjectId);
      forgotten += ended.length;
    }
    return forgotten;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
