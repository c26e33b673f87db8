import type { AuditId, PrincipalRef, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { PrincipalKind } from "../../domain/principal.js";
import type { Trace } from "../../domain/trace.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface AuditEntry {
  readonly auditId: AuditId;
  readonly principal: PrincipalRef;
  readonly principalKind: PrincipalKind;
  readonly workspace: WorkspaceId;
  readonly requestId: string;
  readonly trace: Trace;
}

/** One row of the audit trail: internal ids, counts and verdicts, no content. */
export function insertAudit(permit: Permit, entry: AuditEntry): Statement {
  const { tenant, now } = tenantScope(permit);
  const { trace } = entry;
  return sql`
    insert into muniment.audit
      (tenant_id, audit_id, recorded_at, operation, verdict, refusal, principal_ref, principal_kind, policy_ids, policy_set,
       subject_id, workspace_id, session_id, run_id, route_id, route_version, memory_profile, isolation_keys, memory_reads,
       memory_writes, memory_pack_id, ttl_policy, prompt_memory_tokens, foreign_ref, request_id)
    values
      (${tenant}, ${entry.auditId}, ${now}, ${trace.operation}, ${trace.decision.verdict},
       ${trace.refusal ?? null}, ${entry.principal}, ${entry.principalKind}, ${trace.decision.policyIds}, ${trace.decision.policySetHash},
       ${trace.subject ?? null}, ${entry.workspace}, ${trace.session ?? null}, ${trace.run ?? null}, ${trace.routeId ?? null},
       ${trace.routeVersion ?? null}, ${trace.profile === undefined ? null : JSON.stringify(trace.profile)}::jsonb,
       ${trace.isolationKeys}, ${JSON.stringify(trace.reads)}::jsonb, ${JSON.stringify(trace.writes)}::jsonb,
       ${trace.packId ?? null}, ${JSON.stringify(trace.ttl)}::jsonb, ${trace.tokens ?? null}, ${trace.foreign ?? null},
       ${entry.requestId})`;
}
