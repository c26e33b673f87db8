import type { RouteId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { EscalationRow } from "./escalation-read.js";

/** The last escalation of the subject's other runs, of the routes that the permit's pin may read. */
export function readLastEscalation(
  permit: Permit<"last_time">,
): Statement<EscalationRow & { readonly workspaceId: string; readonly routeId: RouteId }> {
  const { tenant, subject, keyId, workspace, run, recallFrom } = runScope(permit);
  return rechecked(
    { subject: true, workspace: true, recallFrom: true },
    sql<EscalationRow & { readonly workspaceId: string; readonly routeId: RouteId }>`
      select e.tenant_id as "tenantId", e.subject_id as "subjectId", e.session_id as "sessionId", e.run_id as "runId",
        e.escalation_id as "escalationId", e.raised_by as "raisedBy", e.raised_at as "raisedAt",
        e.reason_sealed as "reasonSealed", e.answered_at as "answeredAt", e.answer_sealed as "answerSealed",
        r.workspace_id as "workspaceId", r.route_id as "routeId"
      from muniment.escalation e
      join muniment.run r on r.tenant_id = e.tenant_id and r.subject_id = e.subject_id and r.run_id = e.run_id
      join muniment.subject u on u.tenant_id = e.tenant_id and u.subject_id = e.subject_id
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and r.workspace_id = ${workspace} and e.run_id <> ${run}
        and r.route_id = any(${recallFrom}::text[]) and u.state = 'active' and u.key_id = ${keyId}
      order by e.escalation_id desc
      limit 1`,
  );
}
