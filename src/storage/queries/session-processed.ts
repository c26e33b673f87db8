import type { Permit } from "../../domain/permit.js";
import { sessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Remembers that the session has been observed to the end: in the transaction that keeps what was found. */
export function markProcessed(permit: Permit): Statement {
  const { tenant, subject, session, now } = sessionScope(permit);
  return sql`
    update muniment.session set processed_at = ${now}
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}

/** Remembers which turns of the session have been looked at. */
export function markLookedAt(
  permit: Permit,
  seq: number,
  { imported }: { readonly imported: boolean },
): Statement {
  const { tenant, subject, session } = sessionScope(permit);
  return sql`
    update muniment.session
    set observed_seq = greatest(observed_seq, ${seq}::bigint), observed_imported = observed_imported or ${imported}::boolean
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}
