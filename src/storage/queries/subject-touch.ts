import type { SessionScope, SubjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

/** Advances the live subject and takes `turns` sequence numbers of the session, without moving the session's clock. */
export function touchEvidence(scope: SessionScope, turns: number): Statement {
  const { tenant, subject, keyId, session } = scope;
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), numbered as (
      update muniment.session set last_seq = last_seq + ${turns}::integer
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and exists (select 1 from live)
      returning session_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from numbered), 'session_closed')`;
}

/** Advances the live subject. Fails with `subject_gone` where it has ended, or lives under another key. */
export function touchSubject(scope: SubjectScope): Statement {
  const { tenant, subject, keyId } = scope;
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    )
    select muniment.require(exists (select 1 from live), 'subject_gone')`;
}
