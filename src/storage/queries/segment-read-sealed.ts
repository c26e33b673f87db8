import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface Sealed {
  readonly purgeRevision: number;
  /** Up to which revision there are segments; 0 where there are none. */
  readonly uptoRevision: number;
}

/** How far one version of the analyser has sealed the permit's live subject. */
export function readSealed(permit: Permit, analyser: number): Statement<Sealed> {
  const { tenant, subject, keyId } = subjectScope(permit);
  return sql<Sealed>`
    select u.purge_revision as "purgeRevision", coalesce((
      select max(g.upto_revision) from muniment.segment g
      where g.tenant_id = ${tenant} and g.subject_id = ${subject} and g.analyser = ${analyser}
        and g.purge_revision = u.purge_revision), 0) as "uptoRevision"
    from muniment.subject u
    where u.tenant_id = ${tenant} and u.subject_id = ${subject} and u.key_id = ${keyId} and u.state = 'active'
    order by u.subject_id
    limit 1`;
}
