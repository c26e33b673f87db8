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
      where tenant_id = ${tenant} and subject_id = ${subject} and revision > 0 and revision > ${afterRevision} and evidence_until > ${now}
      order by revision desc, session_id desc, seq desc
      limit ${limit}`,
  );
}

/** The same of some stretches of revisions, each later than `after`, up to and with `upto`. */
export function listTermsBetween(
  permit: Permit,
  stretches: readonly { readonly after: number; readonly upto: number }[],
  limit: number,
): Statement<TermsRow> {
  const { tenant, subject, now } = subjectScope(permit);
  const after = stretches.map((stretch) => stretch.after);
  const upto = stretches.map((stretch) => stretch.upto);
  return rechecked(
    { subject: true },
    sql<TermsRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.turn_id as "turnId", t.session_id as "sessionId",
        t.workspace_id as "workspaceId", t.route_id as "routeId", t.speaker_id as "speakerId", t.seq, t.revision,
        t.observed_at as "observedAt", t.evidence_until as "evidenceUntil", t.terms_sealed as "termsSealed"
      from unnest(${after}::bigint[], ${upto}::bigint[]) as stretch(low, high)
      join muniment.turn t on t.revision > stretch.low and t.revision <= stretch.high
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.revision > 0 and t.evidence_until > ${now}
      order by t.revision desc, t.session_id desc, t.seq desc
      limit ${limit}`,
  );
}

/** The same after a revision, oldest first: what the next segments are made of. */
export function listTermsToSeal(
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
      where tenant_id = ${tenant} and subject_id = ${subject} and revision > 0 and revision > ${afterRevision} and evidence_until > ${now}
      order by revision, session_id, seq
      limit ${limit}`,
  );
}
