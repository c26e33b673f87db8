import type {
  CandidateId,
  FieldId,
  KeyId,
  PrincipalRef,
  RouteId,
  RunId,
  SubjectId,
  TurnId,
  WorkspaceId,
} from "../../domain/ids.js";
import type { Origin } from "../../domain/origin.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export type CandidateState = "open" | "quarantined" | "promoted" | "rejected";

export interface CandidateRow {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
  readonly keyId: KeyId;
  readonly candidateId: CandidateId;
  readonly fieldId: FieldId;
  readonly definitionVersion: number;
  readonly sessionKey: string;
  readonly runId: RunId | null;
  readonly routeId: RouteId | null;
  /** State of its run, where it came from one. */
  readonly runState: string | null;
  readonly origin: Origin;
  readonly state: CandidateState;
  readonly valueSealed: Uint8Array;
  readonly valueHash: Uint8Array;
  readonly removed: boolean;
  readonly evidence: readonly TurnId[];
  readonly proposerSealed: Uint8Array;
  readonly approverRef: PrincipalRef | null;
  readonly approverSealed: Uint8Array | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The subject's external id, sealed under its look-up. */
  readonly subjectLookup: Uint8Array;
  readonly subjectSealed: Uint8Array;
}

/** A candidate by its id, to find out whom and which field it is about. */
export function findCandidate(
  permit: Permit<"resolve">,
  candidate: CandidateId,
): Statement<CandidateRow> {
  const { tenant, now } = tenantScope(permit);
  return sql<CandidateRow>`
    select c.tenant_id as "tenantId", c.subject_id as "subjectId", c.workspace_id as "workspaceId", u.key_id as "keyId",
      c.candidate_id as "candidateId", c.field_id as "fieldId", c.definition_version as "definitionVersion",
      c.session_key as "sessionKey", c.run_id as "runId", c.route_id as "routeId", r.state as "runState", c.origin, c.state,
      c.value_sealed as "valueSealed", c.value_hash as "valueHash", c.removed, c.evidence, c.proposer_sealed as "proposerSealed",
      c.approver_ref as "approverRef", c.approver_sealed as "approverSealed", c.created_at as "createdAt",
      c.expires_at as "expiresAt", e.lookup as "subjectLookup", e.sealed as "subjectSealed"
    from muniment.candidate c
    join muniment.subject u on u.tenant_id = c.tenant_id and u.subject_id = c.subject_id
    join lateral (
      select n.lookup, n.sealed from muniment.external_id n
      where n.tenant_id = c.tenant_id and n.subject_id = c.subject_id and n.internal_id = c.subject_id limit 1) e on true
    left join muniment.run r on r.tenant_id = c.tenant_id and r.run_id = c.run_id
    where c.tenant_id = ${tenant} and c.candidate_id = ${candidate} and c.expires_at > ${now} and u.state = 'active'
    order by c.candidate_id
    limit 1`;
}

export interface CandidateFilter {
  readonly states: readonly CandidateState[];
  readonly fieldId: string | null;
  /** Id of the last row of the page before, or null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Candidates of the permit's workspace, oldest first. */
export function listCandidates(
  permit: Permit<"list_candidates">,
  filter: CandidateFilter,
): Statement<CandidateRow> {
  const { tenant, workspace, now } = tenantScope(permit);
  return rechecked(
    { subject: true, workspace: true, expiry: true },
    sql<CandidateRow>`
    select c.tenant_id as "tenantId", c.subject_id as "subjectId", c.workspace_id as "workspaceId", u.key_id as "keyId",
      c.candidate_id as "candidateId", c.field_id as "fieldId", c.definition_version as "definitionVersion",
      c.session_key as "sessionKey", c.run_id as "runId", c.route_id as "routeId", r.state as "runState", c.origin, c.state,
      c.value_sealed as "valueSealed", c.value_hash as "valueHash", c.removed, c.evidence, c.proposer_sealed as "proposerSealed",
      c.approver_ref as "approverRef", c.approver_sealed as "approverSealed", c.created_at as "createdAt",
      c.expires_at as "expiresAt", e.lookup as "subjectLookup", e.sealed as "subjectSealed"
    from muniment.candidate c
    join muniment.subject u on u.tenant_id = c.tenant_id and u.subject_id = c.subject_id
    join lateral (
      select n.lookup, n.sealed from muniment.external_id n
      where n.tenant_id = c.tenant_id and n.subject_id = c.subject_id and n.internal_id = c.subject_id limit 1) e on true
    left join muniment.run r on r.tenant_id = c.tenant_id and r.run_id = c.run_id
    where c.tenant_id = ${tenant} and c.workspace_id = ${workspace} and c.expires_at > ${now} and u.state = 'active'
      and c.state = any(${filter.states}::text[])
      and (${filter.fieldId}::text is null or c.field_id = ${filter.fieldId}::text)
      and (${filter.after}::uuid is null or c.candidate_id > ${filter.after}::uuid)
    order by c.candidate_id
    limit ${filter.limit}`,
  );
}

export interface StandingRow {
  readonly candidateId: CandidateId;
  readonly state: CandidateState;
}

/** The candidate that waits already with the same value from the same kind of source, or that has this id, decided on or not. */
export function findStandingCandidate(
  permit: Permit,
  wanted: {
    readonly fieldId: FieldId;
    readonly sessionKey: string;
    readonly origin: Origin;
    readonly valueHash: Uint8Array;
    readonly candidateId: CandidateId;
  },
): Statement<StandingRow> {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return sql<StandingRow>`
    select c.candidate_id as "candidateId", c.state
    from muniment.candidate c
    join muniment.subject u on u.tenant_id = c.tenant_id and u.subject_id = c.subject_id
    where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.workspace_id = ${workspace}
      and c.field_id = ${wanted.fieldId} and c.session_key = ${wanted.sessionKey} and c.origin = ${wanted.origin}
      and (c.candidate_id = ${wanted.candidateId}
        or (c.value_hash = ${wanted.valueHash} and c.state in ('open', 'quarantined')))
      and (c.state in ('promoted', 'rejected') or c.expires_at > ${now})
      and u.key_id = ${keyId} and u.state = 'active'
    order by c.candidate_id
    limit 1`;
}
