import type { NarrowScope } from "../../domain/erasure.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

export interface ForgottenPart {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly scope: NarrowScope;
  readonly target: string;
  readonly requestedAt: Date;
}

/** What was forgotten of the permit's subject that is less than the whole, newest first. */
export function listForgottenParts(permit: Permit, limit: number): Statement<ForgottenPart> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<ForgottenPart>`
      select tenant_id as "tenantId", subject_id as "subjectId", scope, target, requested_at as "requestedAt"
      from muniment.erasure
      where tenant_id = ${tenant} and subject_id = ${subject} and scope <> 'subject'
      order by requested_at desc, erasure_id
      limit ${limit}`,
  );
}
