import { jobCaller } from "../../src/services/job-caller.js";
import { openObservations } from "../../src/services/observation-reading.js";
import { findSubject } from "../../src/services/subjects.js";
import { openTurns } from "../../src/services/turn-reading.js";
import type { ObservationRow } from "../../src/storage/queries/observation-list.js";
import type { TurnRow } from "../../src/storage/queries/turn-list-by-session.js";
import type { TestMuniment } from "./muniment.js";

/** What is kept of a subject's observations, opened, oldest first; with what stands at their quotes' places. */
export async function observationsOf(m: TestMuniment, subject: string, tenant = "bank-au") {
  const { principal } = await jobCaller(m.services, "test", tenant);
  const known = await findSubject(m.services, principal, subject);
  if (known === null) return [];
  const rows = await m.db.query<ObservationRow & Readonly<Record<string, unknown>>>(
    `select tenant_id as "tenantId", subject_id as "subjectId", workspace_id as "workspaceId",
      observation_id as "observationId", session_id as "sessionId", run_id as "runId", route_id as "routeId",
      dimension_id as "dimensionId", basis, tier, is_safety as "isSafety", turn_ids as "turnIds", speaker_id as "speakerId",
      supersedes, revision, observed_at as "observedAt", recorded_at as "recordedAt", expires_at as "expiresAt",
      body_sealed as "bodySealed", terms_sealed as "termsSealed"
     from muniment.observation where subject_id = $1 order by revision, observed_at, observation_id`,
    [known.subject],
  );
  const turns = await m.db.query<TurnRow & Readonly<Record<string, unknown>>>(
    `select tenant_id as "tenantId", subject_id as "subjectId", session_id as "sessionId", workspace_id as "workspaceId",
      turn_id as "turnId", seq, run_id as "runId", route_id as "routeId", role, observed_at as "observedAt",
      recorded_at as "recordedAt", evidence_until as "evidenceUntil", content_sealed as "contentSealed",
      null::uuid as "speakerId", null::bytea as "speakerLookup", null::bytea as "speakerSealed"
     from muniment.turn where subject_id = $1 order by seq`,
    [known.subject],
  );
  const said = new Map(
    openTurns(turns, known.key, m.services.onAlarm).map(({ row, content }) => [
      String(row.turnId),
      content.text,
    ]),
  );
  return openObservations(rows, known.key, m.services.onAlarm).map(({ row, body }) => ({
    id: row.observationId,
    dimension: row.dimensionId,
    basis: row.basis,
    tier: row.tier,
    isSafety: row.isSafety,
    route: row.routeId,
    supersedes: row.supersedes,
    speaker: row.speakerId,
    turns: row.turnIds,
    observedAt: row.observedAt.toISOString(),
    text: body.text,
    model: body.model,
    madeBy: body.made_by,
    quoted: body.quotes.map(({ turn_id, start, end }) => said.get(turn_id)?.slice(start, end)),
  }));
}
