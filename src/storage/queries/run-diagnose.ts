import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface RunState {
  readonly state: "active" | "failed" | "completed" | "closed";
  readonly expired: boolean;
  readonly hasCheckpoint: boolean;
}

/** Why a run couldn't be used: read after a statement that needed it failed. */
export function diagnoseRun(permit: Permit<"resolve">, run: RunId): Statement<RunState> {
  const { tenant, now } = tenantScope(permit);
  return sql<RunState>`
    select r.state, r.expires_at <= ${now} as expired, c.run_id is not null as "hasCheckpoint"
    from muniment.run r
    left join muniment.checkpoint c on c.tenant_id = r.tenant_id and c.subject_id = r.subject_id and c.run_id = r.run_id
    where r.tenant_id = ${tenant} and r.run_id = ${run}
    order by r.run_id
    limit 1`;
}
