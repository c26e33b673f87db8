import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface TermsRow {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly turnId: TurnId;
  readonly sessionId: SessionId;
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  readonly speakerId: SpeakerId | null;
  readonly seq: number;
  readonly revision: number;
  readonly observedAt: Date;
  readonly evidenceUntil: Date | null;
  readonly termsSealed: Uint8Array;
}

/** Search terms of the subject's evidence written after `afterRevision`, newest first: what an index lacks. */
export function listTermsAfterRevision(
  permit: Permit,
  afterRevision: number,
  limit: number,
): Statement<TermsRow> {
  const { tenant, subject, now } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<TermsRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", turn_id as "turnId", session_id as "sessionId",
        workspace_id as "workspaceId", route_id as "routeId", speaker_id as "speakerId", seq, revision,
        observed_at as "observedAt", evidence_until as "evidenceUntil", terms_sealed as "termsSealed"
      from muniment.turn
      where tenant_id = ${tenant} and subject_id = ${subject} and revision > ${afterRevision} and evidence_until > ${now}
      order by revision desc, session_id desc, seq desc
      limit ${limit}`,
  );
}
