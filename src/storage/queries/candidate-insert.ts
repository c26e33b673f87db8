import type {
  CandidateId,
  FieldId,
  PrincipalRef,
  RouteId,
  RunId,
  TurnId,
} from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewCandidate {
  readonly candidateId: CandidateId;
  readonly fieldId: FieldId;
  readonly definitionVersion: number;
  /** The session whose key it is; `CUSTOMER_KEY` for a customer key. */
  readonly sessionKey: string;
  readonly run: RunId | null;
  readonly routeId: RouteId | null;
  readonly origin: Origin;
  readonly state: "open" | "quarantined";
  readonly valueSealed: Uint8Array;
  readonly valueHash: Uint8Array;
  /** True where the proposal is to have no value any more. */
  readonly removed: boolean;
  readonly evidence: readonly TurnId[];
  readonly proposerRef: PrincipalRef;
  readonly proposerSealed: Uint8Array;
  readonly expiresAt: Date;
}

/**
 * A proposed value, next to those that wait already. Fails with `candidates_full` where too many of the subject's do, with
 * `definition_changed` where the field was defined anew, with `version_conflict` where the same is proposed at the same
 * moment.
 */
export function insertCandidate(permit: Permit, candidate: NewCandidate): Statement {
  const { tenant, subject, workspace, now } = subjectScope(permit);
  return sql`
    with waiting as (
      select count(*) as candidates from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject} and state in ('open', 'quarantined')
    ), made as (
      insert into muniment.candidate
        (tenant_id, candidate_id, subject_id, workspace_id, field_id, definition_version, session_key, run_id, route_id, origin,
         state, value_sealed, value_hash, removed, evidence, proposer_ref, proposer_sealed, approver_ref, approver_sealed, decided_ref,
         created_at, decided_at, expires_at)
      values
        (${tenant}, ${candidate.candidateId}, ${subject}, ${workspace}, ${candidate.fieldId}, ${candidate.definitionVersion},
         ${candidate.sessionKey}, ${candidate.run}, ${candidate.routeId}, ${candidate.origin}, ${candidate.state},
         ${candidate.valueSealed}, ${candidate.valueHash}, ${candidate.removed}, ${candidate.evidence}::uuid[], ${candidate.proposerRef},
         ${candidate.proposerSealed}, null, null, null, ${now}, null, ${candidate.expiresAt})
      on conflict do nothing
      returning candidate_id
    )
    select muniment.require((select candidates from waiting) < ${LIMITS.candidatesOpenMax}::integer, 'candidates_full'),
      muniment.require(not exists (
        select 1 from muniment.field f
        where f.tenant_id = ${tenant} and f.field_id = ${candidate.fieldId} and f.version > ${candidate.definitionVersion}::integer
      ), 'definition_changed'),
      muniment.require(exists (select 1 from made), 'version_conflict')`;
}

/** Removes what waited too long for a decision, so that it may be proposed again. */
export function deleteOverdueCandidates(permit: Permit, fieldId: FieldId): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  return sql`
    delete from muniment.candidate
    where tenant_id = ${tenant} and subject_id = ${subject} and field_id = ${fieldId} and expires_at <= ${now}
      and state in ('open', 'quarantined')`;
}
