import type { CandidateId, PrincipalRef } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** A candidate as its decider saw it. What was changed since then isn't decided on. */
export interface Seen {
  readonly candidateId: CandidateId;
  readonly valueHash: Uint8Array;
}

/** The first of two approvals. Fails with `candidate_changed` where the candidate isn't the one that was seen any more. */
export function approveCandidate(
  permit: Permit<"promote_by_human">,
  seen: Seen,
  approver: { readonly ref: PrincipalRef; readonly sealed: Uint8Array },
): Statement {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), approved as (
      update muniment.candidate set approver_ref = ${approver.ref}, approver_sealed = ${approver.sealed}
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace} and candidate_id = ${seen.candidateId}
        and value_hash = ${seen.valueHash} and state in ('open', 'quarantined') and approver_ref is null
        and expires_at > ${now} and exists (select 1 from live)
      returning candidate_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from approved), 'candidate_changed')`;
}

/** Ends a candidate without a value. Fails with `candidate_changed` where it was decided on already. */
export function rejectCandidate(
  permit: Permit<"reject_candidate">,
  seen: Seen,
  decider: PrincipalRef,
): Statement {
  const { tenant, subject, keyId, workspace, now } = subjectScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), rejected as (
      update muniment.candidate set state = 'rejected', decided_ref = ${decider}, decided_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and workspace_id = ${workspace} and candidate_id = ${seen.candidateId}
        and value_hash = ${seen.valueHash} and state in ('open', 'quarantined') and exists (select 1 from live)
      returning candidate_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from rejected), 'candidate_changed')`;
}
