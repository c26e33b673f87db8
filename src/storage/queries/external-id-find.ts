import type { SubjectId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { ExternalKind } from "./external-id-insert.js";

/** The internal id behind an external id of one subject, by its HMAC under the subject's key. */
export function findExternalId(
  permit: Permit,
  subject: SubjectId,
  kind: ExternalKind,
  lookup: Uint8Array,
): Statement<{ internalId: string }> {
  const { tenant } = tenantScope(permit);
  return sql<{ internalId: string }>`
    select internal_id as "internalId"
    from muniment.external_id
    where tenant_id = ${tenant} and kind = ${kind} and lookup = ${lookup} and subject_id = ${subject}
    order by internal_id
    limit 1`;
}
