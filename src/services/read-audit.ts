import { type AuditRow, listAudit } from "../storage/queries/audit-list.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { auditInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface ReadAuditReply {
  /** Trace fields as they were written, newest first. Internal ids alone. */
  readonly rows: readonly object[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** A page of the tenant's audit trail, newest first. Reading it leaves a row too. */
export function readAudit(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ReadAuditReply> {
  return govern(services, caller, "read_audit", async (op) => {
    const { run, verdict, limit, cursor } = parseInput(auditInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    const list = ["read_audit", run ?? null, verdict ?? null];
    const before = readCursor(key, caller.principal, list, cursor);
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listAudit(permit, { run: run ?? null, verdict: verdict ?? null, before, limit }),
      ]);
      await tx.commit([op.audit(permit, { reads: [{ kind: "audit", ids: [] }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      rows: rows.map(view),
      cursor: last === undefined ? null : makeCursor(key, caller.principal, list, last.auditId),
      decision: op.decision(),
    };
  });
}

/** The row in the names of the trace fields. */
function view(row: AuditRow): object {
  return {
    audit_id: row.auditId,
    recorded_at: row.recordedAt.toISOString(),
    operation: row.operation,
    pep_verdict: row.verdict,
    refusal: row.refusal,
    principal_ref: row.principalRef,
    principal_kind: row.principalKind,
    policy_ids: row.policyIds,
    policy_set: row.policySet,
    subject_id: row.subjectId,
    workspace_id: row.workspaceId,
    session_id: row.sessionId,
    run_id: row.runId,
    route_id: row.routeId,
    route_version: row.routeVersion,
    memory_profile: row.memoryProfile,
    isolation_keys: row.isolationKeys,
    memory_reads: row.memoryReads,
    memory_writes: row.memoryWrites,
    memory_pack_id: row.memoryPackId,
    ttl_policy: row.ttlPolicy,
    prompt_memory_tokens: row.promptMemoryTokens,
    foreign_ref: row.foreignRef,
    request_id: row.requestId,
  };
}
