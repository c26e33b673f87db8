import type { NarrowScope } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** Narrow erasures of one moment: a person's are made one after the other. */
const NEWEST_MAX = 100;

export interface ForgottenPart {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly scope: NarrowScope;
  readonly target: string;
  readonly requestedAt: Date;
}

/**
 * Of what was forgotten of the permit's subject and is less than the whole: each that one of these ids was, and the newest,
 * before which nothing that derives from others is believed.
 */
export function listForgottenParts(
  permit: Permit,
  ids: readonly string[],
): Statement<ForgottenPart> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<ForgottenPart>`
      select tenant_id as "tenantId", subject_id as "subjectId", scope, target, requested_at as "requestedAt"
      from muniment.erasure
      where tenant_id = ${tenant} and subject_id = ${subject} and scope <> 'subject'
        and (target = any(${ids}::uuid[]) or requested_at = (
          select max(n.requested_at) from muniment.erasure n
          where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.scope <> 'subject'
        ))
      order by requested_at desc, erasure_id
      limit ${ids.length + NEWEST_MAX}`,
  );
}
