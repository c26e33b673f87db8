import type { ErasureReason, ErasureScopeKind, NarrowScope } from "../../domain/erasure.js";
import { RETURNING_REASONS } from "../../domain/erasure-rules.js";
import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope, tenantScope } from "../scope.js";
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
 * before which nothing that derives from others is believed. Not what may come again as it was.
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
      where tenant_id = ${tenant} and subject_id = ${subject} and scope <> 'subject' and reason <> all(${RETURNING_REASONS}::text[])
        and (target = any(${ids}::uuid[]) or requested_at = (
          select max(n.requested_at) from muniment.erasure n
          where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.scope <> 'subject'
            and n.reason <> all(${RETURNING_REASONS}::text[])
        ))
      order by requested_at desc, erasure_id
      limit ${ids.length + NEWEST_MAX}`,
  );
}

export interface ForgottenElsewhere {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly scope: ErasureScopeKind;
  readonly reason: ErasureReason;
  readonly target: string;
  readonly requestedAt: Date;
}

/** The same of any subject of the tenant, the whole of it included: for an archive of one that comes to another. */
export function listForgottenOf(
  permit: Permit<"resolve">,
  subject: SubjectId,
  ids: readonly string[],
): Statement<ForgottenElsewhere> {
  const { tenant } = tenantScope(permit);
  return rechecked(
    { subject: true },
    sql<ForgottenElsewhere>`
      select tenant_id as "tenantId", subject_id as "subjectId", scope, reason, target, requested_at as "requestedAt"
      from muniment.erasure
      where tenant_id = ${tenant} and subject_id = ${subject}
        and (scope = 'subject' or (reason <> all(${RETURNING_REASONS}::text[]) and (target = any(${ids}::uuid[]) or requested_at = (
          select max(n.requested_at) from muniment.erasure n
          where n.tenant_id = ${tenant} and n.subject_id = ${subject} and n.scope <> 'subject'
            and n.reason <> all(${RETURNING_REASONS}::text[])
        ))))
      order by requested_at desc, erasure_id
      limit ${ids.length + NEWEST_MAX}`,
  );
}
