import type { Permit } from "../../domain/permit.js";
import { sessionScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Remembers that the session has been observed: in the transaction that keeps what was found. */
export function markProcessed(permit: Permit): Statement {
  const { tenant, subject, session, now } = sessionScope(permit);
  return sql`
    update muniment.session set observed_at = ${now}
    where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session}`;
}
