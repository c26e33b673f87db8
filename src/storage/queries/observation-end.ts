import type { ObservationId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/**
 * Ends what is corrected no later than its correction, and all that it had corrected itself: none of it is current again when the
 * correction has gone. What is about safety is left as it is.
 */
export function endCorrected(permit: Permit, corrected: ObservationId, until: Date): Statement {
  const { tenant, subject, workspace } = subjectScope(permit);
  return sql`
    with recursive corrected as (
      select o.observation_id, o.supersedes from muniment.observation o
      where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace}
        and o.observation_id = ${corrected}::uuid and not o.is_safety
      union
      select o.observation_id, o.supersedes from muniment.observation o
      join corrected c on c.supersedes = o.observation_id
      where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.workspace_id = ${workspace} and not o.is_safety
    )
    update muniment.observation o set expires_at = ${until}::timestamptz
    from corrected c
    where o.tenant_id = ${tenant} and o.subject_id = ${subject} and o.observation_id = c.observation_id
      and o.expires_at > ${until}::timestamptz`;
}
