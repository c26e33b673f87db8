import type { RouteId, RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { MemoryProfile } from "../../domain/profile.js";
import type { EpochSpan } from "../../domain/work.js";
import { sessionScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { TurnRow } from "./turn-list-by-session.js";
import type { WorkingRow } from "./working-list-by-run.js";

export interface SessionRun {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly runId: RunId;
  readonly routeId: RouteId;
  readonly state: "active" | "failed" | "completed" | "closed";
  readonly profile: MemoryProfile;
}

/** Runs of the permit's session, in their order. */
export function listSessionRuns(permit: Permit, limit: number): Statement<SessionRun> {
  const { tenant, subject, keyId, workspace, session } = sessionScope(permit);
  return rechecked(
    { subject: true, workspace: true, session: true },
    sql<SessionRun>`
      select r.tenant_id as "tenantId", r.subject_id as "subjectId", r.session_id as "sessionId", r.workspace_id as "workspaceId",
        r.run_id as "runId", r.route_id as "routeId", r.state, r.profile
      from muniment.run r
      join muniment.subject u on u.tenant_id = r.tenant_id and u.subject_id = r.subject_id
      where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.session_id = ${session} and r.workspace_id = ${workspace}
        and r.created_at > '-infinity' and u.state = 'active' and u.key_id = ${keyId}
      order by r.run_id
      limit ${limit}`,
  );
}

/** What was said in the part of the session, as far as it still may be read as conversation or as evidence, newest first. */
export function listSessionTurns(
  permit: Permit,
  { after_epoch, epoch }: EpochSpan,
  limit: number,
): Statement<TurnRow> {
  const { tenant, subject, keyId, workspace, session, now } = sessionScope(permit);
  return rechecked(
    { subject: true, workspace: true, session: true },
    sql<TurnRow>`
      select t.tenant_id as "tenantId", t.subject_id as "subjectId", t.session_id as "sessionId", t.workspace_id as "workspaceId",
        t.turn_id as "turnId", t.seq, t.run_id as "runId", t.route_id as "routeId", t.role, t.observed_at as "observedAt",
        t.recorded_at as "recordedAt", t.evidence_until as "evidenceUntil", t.content_sealed as "contentSealed",
        null::uuid as "speakerId", null::bytea as "speakerLookup", null::bytea as "speakerSealed"
      from muniment.turn t
      join muniment.session s on s.tenant_id = t.tenant_id and s.subject_id = t.subject_id and s.session_id = t.session_id
      join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id
      where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.session_id = ${session} and t.workspace_id = ${workspace}
        and t.epoch > ${after_epoch} and t.epoch <= ${epoch}
        and (t.evidence_until > ${now} or (t.epoch = s.epoch and s.expires_at > ${now}))
        and u.state = 'active' and u.key_id = ${keyId}
      order by t.seq desc
      limit ${limit}`,
  );
}

/** Working memory of the session's runs whose clocks run. */
export function listSessionWorking(permit: Permit, limit: number): Statement<WorkingRow> {
  const { tenant, subject, keyId, session, now } = sessionScope(permit);
  return rechecked(
    { subject: true, session: true, expiry: true },
    sql<WorkingRow>`
      select w.tenant_id as "tenantId", w.subject_id as "subjectId", w.session_id as "sessionId", w.run_id as "runId",
        w.class, w.item_key as "key", w.version, w.value_sealed as "valueSealed", w.recorded_at as "recordedAt",
        least(r.expires_at, w.expires_at) as "expiresAt"
      from muniment.working w
      join muniment.run r on r.tenant_id = w.tenant_id and r.subject_id = w.subject_id and r.run_id = w.run_id
      join muniment.subject u on u.tenant_id = w.tenant_id and u.subject_id = w.subject_id
      where w.tenant_id = ${tenant} and w.subject_id = ${subject} and w.session_id = ${session}
        and w.class in ('artifact', 'failure', 'question', 'slot')
        and r.expires_at > ${now} and (w.expires_at is null or w.expires_at > ${now})
        and u.state = 'active' and u.key_id = ${keyId}
      order by w.recorded_at, w.run_id, w.class, w.item_key
      limit ${limit}`,
  );
}
