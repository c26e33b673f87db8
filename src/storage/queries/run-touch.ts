import type { Pin } from "../../domain/pin.js";
import type { RunScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface Touch {
  readonly pin: Pin;
  readonly expiresAt: Date;
  /** Version that the caller saw last; absent where it doesn't mind. */
  readonly expectedVersion?: number | undefined;
  /** True where the agent words what is written. It may still tell what was forgotten since the run's last pack. */
  readonly byAgent: boolean;
  /** Where a failed run will go on, where that moves: the index of the stage after the completed one. */
  readonly resumeIndex?: number;
}

/**
 * Advances subject and run where both still are what the permit was given for, and moves the run's idle clock.
 * Fails with `subject_gone`, `run_unusable` (ended, expired, another version, another pin) or `knows_forgotten`.
 */
export function touchRun(scope: RunScope, touch: Touch): Statement {
  const { tenant, subject, keyId, session, run, now } = scope;
  const expected = touch.expectedVersion ?? null;
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), used as (
      update muniment.run
      set version = version + 1, expires_at = ${touch.expiresAt},
        resume_index = coalesce(${touch.resumeIndex ?? null}::integer, resume_index)
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and profile_hash = ${touch.pin.profileHash} and state = 'active' and expires_at > ${now}
        and (${expected}::bigint is null or version = ${expected}::bigint)
        and exists (select 1 from live)
      returning knows_forgotten
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from used), 'run_unusable'),
      muniment.require(not ${touch.byAgent}::boolean or not exists (select 1 from used where knows_forgotten), 'knows_forgotten')`;
}
