import type { FieldId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Reach } from "./reach-delete.js";
import type { Removed } from "./subject-end.js";

/** Proposals that rest on it alone, promoted ones among them: their values go too. */
export function listCandidatesOf(
  permit: Permit,
  { turns, runs, session }: Reach,
): Statement<{ readonly candidateId: string }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly candidateId: string }>`
    with resting as (
      select candidate_id from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject}
        and (session_key = ${session}::uuid
          or (evidence <@ ${turns}::uuid[] and (cardinality(evidence) > 0 or run_id = any(${runs}::uuid[]))))
    )
    select candidate_id as "candidateId" from resting order by candidate_id`;
}

/** All proposals of a field, in every workspace; but for the one of the standing value, where that is to stay. */
export function listCandidatesOfField(
  permit: Permit,
  field: FieldId,
  keepsStanding: boolean,
): Statement<{ readonly candidateId: string }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly candidateId: string }>`
    with proposed as (
      select c.candidate_id from muniment.candidate c
      where c.tenant_id = ${tenant} and c.subject_id = ${subject} and c.field_id = ${field}
        and not (${keepsStanding}::boolean and exists (
          select 1 from muniment.field_value v
          where v.tenant_id = ${tenant} and v.subject_id = ${subject} and v.candidate_id = c.candidate_id
            and not exists (
              select 1 from muniment.field_value n
              where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.workspace_id = v.workspace_id
                and n.field_id = v.field_id and n.session_key = v.session_key and n.version > v.version)))
    )
    select candidate_id as "candidateId" from proposed order by candidate_id`;
}

export function deleteCandidates(
  permit: Permit,
  candidates: readonly string[],
): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with removed as (
      delete from muniment.candidate
      where tenant_id = ${tenant} and subject_id = ${subject} and candidate_id = any(${candidates}::uuid[])
      returning candidate_id
    )
    select count(*) as removed from removed`;
}

/**
 * Values that were promoted from these proposals. Where the standing value of a key is among them, all of the key goes:
 * what it had superseded doesn't come back.
 */
export function deleteValues(permit: Permit, candidates: readonly string[]): Statement<Removed> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Removed>`
    with standing as (
      select distinct on (workspace_id, field_id, session_key) workspace_id, field_id, session_key, candidate_id
      from muniment.field_value
      where tenant_id = ${tenant} and subject_id = ${subject}
      order by workspace_id, field_id, session_key, version desc
    ), removed as (
      delete from muniment.field_value v
      where v.tenant_id = ${tenant} and v.subject_id = ${subject}
        and (v.candidate_id = any(${candidates}::uuid[]) or exists (
          select 1 from standing s
          where s.workspace_id = v.workspace_id and s.field_id = v.field_id and s.session_key = v.session_key
            and s.candidate_id = any(${candidates}::uuid[])))
      returning v.version
    )
    select count(*) as removed from removed`;
}

/** Proposals that rest on something else too keep that alone as their evidence. */
export function withdrawEvidence(permit: Permit, { turns }: Reach): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    update muniment.candidate
    set evidence = array(select e from unnest(evidence) e where e <> all(${turns}::uuid[]))
    where tenant_id = ${tenant} and subject_id = ${subject} and evidence && ${turns}::uuid[]`;
}
