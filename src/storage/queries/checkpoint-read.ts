import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface CheckpointRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly checkpointId: string;
  readonly step: number;
  readonly resumeIndex: number;
  readonly valueSealed: Uint8Array;
  readonly expiresAt: Date;
}

/** The loop record of the permit's run while the run's idle clock runs. */
export function readCheckpoint(permit: Permit): Statement<CheckpointRow> {
  const { tenant, subject, keyId, session, run, now } = runScope(permit);
  return rechecked(
    { subject: true, session: true, run: true, expiry: true },
    sql<CheckpointRow>`
      select c.tenant_id as "tenantId", c.subject_id as "subjectId", c.session_id as "sessionId", c.run_id as "runId",
        c.checkpoint_id as "checkpointId", c.step, c.resume_index as "resumeIndex", c.value_sealed as "valueSealed",
        r.expires_at as "expiresAt"
      from muniment.checkpoint c
      join muniment.run r on r.tenant_id = c.tenant_id and r.subject_id = c.subject_id and r.run_id = c.run_id
      join muniment.subject u on u.tenant_id = c.tenant_id and u.subject_id = c.subject_id
      where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.run_id = ${run} and c.session_id = ${session}
        and r.expires_at > ${now} and u.state = 'active' and u.key_id = ${keyId}
      order by c.run_id
      limit 1`,
  );
}
