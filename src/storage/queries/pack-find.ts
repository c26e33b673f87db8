import type { PackId, RunId, SessionId, SubjectId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { runScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** The run behind a pack: what the pin of its reader is resolved from. */
export function findPackRun(permit: Permit<"resolve">, pack: PackId): Statement<{ runId: RunId }> {
  const { tenant } = tenantScope(permit);
  return sql<{ runId: RunId }>`
    select run_id as "runId" from muniment.pack
    where tenant_id = ${tenant} and pack_id = ${pack}
    order by pack_id
    limit 1`;
}

export interface PackRow {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly packId: PackId;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revision: number;
  readonly purgeRevision: number;
  readonly tokens: number;
  readonly tokensMax: number;
  readonly manifest: unknown;
}

/** A stored pack of the permit's run, read again under today's permit. */
export function readPack(permit: Permit, pack: PackId): Statement<PackRow> {
  const { tenant, subject, workspace, session, run } = runScope(permit);
  return rechecked(
    { subject: true, workspace: true, session: true, run: true },
    sql<PackRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", workspace_id as "workspaceId", session_id as "sessionId",
        run_id as "runId", pack_id as "packId", created_at as "createdAt", expires_at as "expiresAt", revision,
        purge_revision as "purgeRevision", tokens, tokens_max as "tokensMax", manifest
      from muniment.pack
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace} and session_id = ${session}
        and run_id = ${run} and pack_id = ${pack}
      order by pack_id
      limit 1`,
  );
}
