import type { Permit } from "../../domain/permit.js";
import type { PrincipalKind } from "../../domain/principal.js";
import { runScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface EscalationRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly escalationId: string;
  readonly raisedBy: PrincipalKind;
  readonly raisedAt: Date;
  readonly reasonSealed: Uint8Array;
  readonly answeredAt: Date | null;
  readonly answerSealed: Uint8Array | null;
}

/** The run's last escalation, answered or not. Ids are UUIDv7, so the last id is the last one raised. */
export function readEscalation(permit: Permit): Statement<EscalationRow> {
  const { tenant, subject, keyId, session, run } = runScope(permit);
  return rechecked(
    { subject: true, session: true, run: true },
    sql<EscalationRow>`
      select e.tenant_id as "tenantId", e.subject_id as "subjectId", e.session_id as "sessionId", e.run_id as "runId",
        e.escalation_id as "escalationId", e.raised_by as "raisedBy", e.raised_at as "raisedAt",
        e.reason_sealed as "reasonSealed", e.answered_at as "answeredAt", e.answer_sealed as "answerSealed"
      from muniment.escalation e
      join muniment.subject u on u.tenant_id = e.tenant_id and u.subject_id = e.subject_id
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.run_id = ${run} and e.session_id = ${session}
        and u.state = 'active' and u.key_id = ${keyId}
      order by e.escalation_id desc
      limit 1`,
  );
}
