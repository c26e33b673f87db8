import type { KeyId, SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface UnsealedRow {
  readonly tenantId: string;
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  /** True where it has so many turns behind its last segment that the next ones are due. */
  readonly isDue: boolean;
}

export interface UnsealedWanted {
  readonly analyser: number;
  /** Turns outside of segments that make the next one due. */
  readonly turns: number;
  /** Subjects after this one, in their order; empty for the first ones. */
  readonly after: SubjectId | null;
  readonly limit: number;
}

/** The tenant's live subjects, and which of them have enough turns for another segment. */
export function listUnsealed(
  permit: Permit<"list_unsealed">,
  wanted: UnsealedWanted,
): Statement<UnsealedRow> {
  const { tenant, now } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<UnsealedRow>`
      select u.tenant_id as "tenantId", u.subject_id as "subjectId", u.key_id as "keyId", (
        select count(*) >= ${wanted.turns}::integer from (
          select 1 from muniment.turn t
          where t.tenant_id = ${tenant} and t.subject_id = u.subject_id and t.evidence_until > ${now}
            and t.revision > 0 and t.revision > coalesce((
              select max(g.upto_revision) from muniment.segment g
              where g.tenant_id = ${tenant} and g.subject_id = u.subject_id and g.analyser = ${wanted.analyser}
                and g.purge_revision = u.purge_revision), 0)
          limit ${wanted.turns}::integer) as found) as "isDue"
      from muniment.subject u
      where u.tenant_id = ${tenant} and u.state = 'active'
        and (${wanted.after}::uuid is null or u.subject_id > ${wanted.after}::uuid)
      order by u.subject_id
      limit ${wanted.limit}`,
  );
}
