import type { Permit } from "../../domain/permit.js";
import type { PrincipalKind } from "../../domain/principal.js";
import { runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewEscalation {
  readonly escalationId: string;
  readonly raisedBy: PrincipalKind;
  readonly reasonSealed: Uint8Array;
}

/** Lets the run wait, with the reason. `touchRun` before it has checked that the run is active. */
export function insertEscalation(permit: Permit, escalation: NewEscalation): Statement {
  const { tenant, subject, session, run, now } = runScope(permit);
  return sql`
    with waiting as (
      update muniment.run set state = 'waiting'
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and state = 'active'
      returning tenant_id, subject_id, run_id, session_id
    ), raised as (
      insert into muniment.escalation
        (tenant_id, subject_id, run_id, escalation_id, session_id, raised_by, raised_at, reason_sealed)
      select w.tenant_id, w.subject_id, w.run_id, ${escalation.escalationId}::uuid, w.session_id, ${escalation.raisedBy}::text,
        ${now}::timestamptz, ${escalation.reasonSealed}::bytea
      from waiting w
      returning run_id
    )
    select muniment.require(exists (select 1 from raised), 'run_unusable')`;
}

export interface Answer {
  readonly escalationId: string;
  readonly answeredBy: string;
  readonly answerSealed: Uint8Array;
}

/** Answers the open escalation: nobody answers one twice. */
export function answerEscalation(permit: Permit, answer: Answer): Statement {
  const { tenant, subject, session, run, now } = runScope(permit);
  return sql`
    with answered as (
      update muniment.escalation
      set answered_by = ${answer.answeredBy}, answered_at = ${now}, answer_sealed = ${answer.answerSealed}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and escalation_id = ${answer.escalationId} and answered_at is null
      returning run_id
    )
    select muniment.require(exists (select 1 from answered), 'version_conflict')`;
}
