import type { ErasureReason } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Which of these ids went with something that was forgotten of the subject, and why. A value goes by its proposal. */
export function listForgottenSources(
  permit: Permit,
  sources: readonly string[],
): Statement<{ readonly source: string; readonly reason: ErasureReason }> {
  const { tenant, subject } = subjectScope(permit);
  return sql<{ readonly source: string; readonly reason: ErasureReason }>`
    with asked as (
      select id as source, id as went from unnest(${sources}::text[]) as id
      union all
      select p.promotion_id::text, p.candidate_id::text from muniment.promotion p
      where p.tenant_id = ${tenant} and p.subject_id = ${subject} and p.promotion_id::text = any(${sources}::text[])
    ), gone as (
      select distinct a.source, e.reason
      from muniment.erasure e
      cross join lateral jsonb_array_elements_text(e.reached -> 'ids') as id
      join asked a on a.went = id
      where e.tenant_id = ${tenant} and e.subject_id = ${subject} and e.reached is not null
    )
    select source, reason from gone order by source, reason`;
}
