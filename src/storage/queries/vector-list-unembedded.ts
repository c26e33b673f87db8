import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";
import type { UnsealedRow } from "./segment-list-unsealed.js";

export interface UnembeddedWanted {
  readonly model: string;
  /** Subjects after this one, in their order; null for the first ones. */
  readonly after: SubjectId | null;
  readonly limit: number;
}

/** The tenant's live subjects, and which of them have a turn behind the model's last vector. */
export function listUnembedded(
  permit: Permit<"list_unembedded">,
  wanted: UnembeddedWanted,
): Statement<UnsealedRow> {
  const { tenant, now } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<UnsealedRow>`
      select u.tenant_id as "tenantId", u.subject_id as "subjectId", u.key_id as "keyId", exists (
        select 1 from muniment.turn t
        where t.tenant_id = ${tenant} and t.subject_id = u.subject_id and t.evidence_until > ${now}
          and t.revision > 0 and t.revision >= coalesce((
            select max(v.revision) from muniment.vector v
            where v.tenant_id = ${tenant} and v.subject_id = u.subject_id and v.model = ${wanted.model}), 0)
          and not exists (
            select 1 from muniment.vector w
            where w.tenant_id = ${tenant} and w.subject_id = u.subject_id and w.turn_id = t.turn_id
              and w.model = ${wanted.model} and w.revision = t.revision)) as "isDue"
      from muniment.subject u
      where u.tenant_id = ${tenant} and u.state = 'active'
        and (${wanted.after}::uuid is null or u.subject_id > ${wanted.after}::uuid)
      order by u.subject_id
      limit ${wanted.limit}`,
  );
}
