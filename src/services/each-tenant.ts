import type { Caller } from "./caller.js";
import { jobCaller } from "./job-caller.js";
import type { Services } from "./services.js";

/** Tenants that are read at once. */
const TENANTS_PAGE = 100;

/**
 * Does a job's work tenant by tenant, in each as the job itself. A tenant in which it fails doesn't keep the others from
 * theirs: throws an AggregateError once all had their turn.
 */
export async function eachTenant<Report>(
  services: Services,
  job: string,
  work: (caller: Caller, tenant: string) => Promise<Report>,
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  const failures: unknown[] = [];
  let after = "";
  for (;;) {
    const tenants = await services.directory.tenants(after, TENANTS_PAGE);
    for (const tenant of tenants) {
      try {
        reports.push(await work(await jobCaller(services, job, tenant), tenant));
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
  throw new AggregateError(failures, `${job} failed in ${failures.length} of ${count} tenants`, {
    cause: failures[0],
  });
}
