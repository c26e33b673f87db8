import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Reach } from "./reach-delete.js";
import type { Removed } from "./subject-end.js";

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
