import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface RunRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly runId: RunId;
  readonly state: "active" | "waiting" | "failed" | "completed" | "closed";
  readonly failureCode: string | null;
  readonly version: number;
  readonly resumeIndex: number;
  readonly goalSealed: Uint8Array;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** True where it is its session's active run. */
  readonly sticky: boolean;
  /** Where the subject stands: for the validity of what is read beside it. */
  readonly revision: number;
  readonly purgeRevision: number;
  /** Something that it knew was forgotten, and it has taken no pack since. */
  readonly knowsForgotten: boolean;
}

/** The run of the permit, whatever its state, joined with its live subject. */
export function readRun(permit: Permit): Statement<RunRow> {
  const { tenant, subject, keyId, workspace, session, run } = runScope(permit);
  return rechecked(
    { subject: true, workspace: true, session: true, run: true },
    sql<RunRow>`
      select r.tenant_id as "tenantId", r.subject_id as "subjectId", r.session_id as "sessionId", r.workspace_id as "workspaceId",
        r.run_id as "runId", r.state, r.failure_code as "failureCode", r.version,
        r.resume_index as "resumeIndex", r.goal_sealed as "goalSealed", r.expires_at as "expiresAt",
        r.created_at as "createdAt", c.active_run_id is not distinct from r.run_id as sticky, s.revision,
        s.purge_revision as "purgeRevision", r.knows_forgotten as "knowsForgotten"
      from muniment.run r
      join muniment.subject s on s.tenant_id = r.tenant_id and s.subject_id = r.subject_id
      join muniment.session c on c.tenant_id = r.tenant_id and c.subject_id = r.subject_id and c.session_id = r.session_id
      where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.workspace_id = ${workspace}
        and r.session_id = ${session} and r.run_id = ${run} and s.state = 'active' and s.key_id = ${keyId}
      order by r.run_id
      limit 1`,
  );
}
