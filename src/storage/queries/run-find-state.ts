import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface RunState {
  readonly state: "active" | "waiting" | "failed" | "completed" | "closed";
  readonly expired: boolean;
}

/** Says why a statement that needed the run failed. */
export function findRunState(permit: Permit<"resolve">, run: RunId): Statement<RunState> {
  const { tenant, now } = tenantScope(permit);
  return sql<RunState>`
    select r.state, r.expires_at <= ${now} as expired
    from muniment.run r
    where r.tenant_id = ${tenant} and r.run_id = ${run}
    order by r.run_id
    limit 1`;
}
