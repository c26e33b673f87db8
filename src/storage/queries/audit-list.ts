import type { AuditId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface AuditRow {
  readonly auditId: AuditId;
  readonly recordedAt: Date;
  readonly operation: string;
  readonly verdict: "allow" | "deny";
  readonly refusal: string | null;
  readonly principalRef: string;
  readonly principalKind: string;
  readonly policyIds: readonly string[];
  readonly policySet: string;
  readonly subjectId: string | null;
  readonly workspaceId: string | null;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly routeId: string | null;
  readonly routeVersion: number | null;
  readonly memoryProfile: unknown;
  readonly isolationKeys: readonly string[];
  readonly memoryReads: unknown;
  readonly memoryWrites: unknown;
  readonly memoryPackId: string | null;
  readonly ttlPolicy: unknown;
  readonly promptMemoryTokens: number | null;
  readonly foreignRef: string | null;
  readonly requestId: string;
}

export interface AuditFilter {
  readonly run: string | null;
  readonly verdict: string | null;
  /** Audit id of the last row of the page before, or null for the newest page. */
  readonly before: string | null;
  readonly limit: number;
}

/** The tenant's audit trail, newest first. Ids are UUIDv7, so their order is the order of writing. */
export function listAudit(permit: Permit<"read_audit">, filter: AuditFilter): Statement<AuditRow> {
  const { tenant } = tenantScope(permit);
  return sql<AuditRow>`
    select audit_id as "auditId", recorded_at as "recordedAt", operation, verdict, refusal, principal_ref as "principalRef",
      principal_kind as "principalKind", policy_ids as "policyIds", policy_set as "policySet", subject_id as "subjectId",
      workspace_id as "workspaceId", session_id as "sessionId", run_id as "runId", route_id as "routeId",
      route_version as "routeVersion", memory_profile as "memoryProfile", isolation_keys as "isolationKeys",
      memory_reads as "memoryReads", memory_writes as "memoryWrites", memory_pack_id as "memoryPackId",
      ttl_policy as "ttlPolicy", prompt_memory_tokens as "promptMemoryTokens", foreign_ref as "foreignRef",
      request_id as "requestId"
    from muniment.audit
    where tenant_id = ${tenant}
      and (${filter.run}::uuid is null or run_id = ${filter.run}::uuid)
      and (${filter.verdict}::text is null or verdict = ${filter.verdict}::text)
      and (${filter.before}::uuid is null or audit_id < ${filter.before}::uuid)
    order by audit_id desc
    limit ${filter.limit}`;
}
