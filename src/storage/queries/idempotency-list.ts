import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** What recognises a request whose reply is kept, as long as it is. */
export interface RequestMac {
  readonly mac: Uint8Array;
  readonly until: Date;
}

/** Of the subject's own requests. */
export function listRequestMacs(permit: Permit): Statement<RequestMac> {
  const { tenant, subject, now } = subjectScope(permit);
  return sql<RequestMac>`
    with kept as (
      select tombstone_mac as mac, max(expires_at) as until
      from muniment.idempotency
      where tenant_id = ${tenant} and subject_id = ${subject} and expires_at > ${now} and octet_length(tombstone_mac) > 0
      group by tombstone_mac
    )
    select mac, until from kept order by mac`;
}
