import type { Permit } from "../../domain/permit.js";
import type { WorkingClass } from "../../domain/working.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface WorkingRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly class: WorkingClass;
  readonly key: string;
  readonly version: number;
  readonly valueSealed: Uint8Array;
  readonly recordedAt: Date;
  readonly expiresAt: Date;
}

/** Working rows of the permit's run while its idle clock (and a row's own) runs, oldest first. */
export function listWorkingByRun(permit: Permit, limit: number): Statement<WorkingRow> {
  const { tenant, subject, keyId, session, run, now } = runScope(permit);
  return rechecked(
    { subject: true, session: true, run: true, expiry: true },
    sql<WorkingRow>`
      select w.tenant_id as "tenantId", w.subject_id as "subjectId", w.session_id as "sessionId", w.run_id as "runId",
        w.class, w.item_key as "key", w.version, w.value_sealed as "valueSealed", w.recorded_at as "recordedAt",
        least(r.expires_at, w.expires_at) as "expiresAt"
      from muniment.working w
      join muniment.run r on r.tenant_id = w.tenant_id and r.subject_id = w.subject_id and r.run_id = w.run_id
      join muniment.subject u on u.tenant_id = w.tenant_id and u.subject_id = w.subject_id
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.run_id = ${run} and w.session_id = ${session}
        and r.expires_at > ${now} and (w.expires_at is null or w.expires_at > ${now})
        and u.state = 'active' and u.key_id = ${keyId}
      order by w.seq, w.class, w.item_key
      limit ${limit}`,
  );
}
