import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { runScope, subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewCheckpoint {
  /** New on each write: it is part of the sealed value's place. */
  readonly checkpointId: string;
  readonly step: number;
  readonly resumeIndex: number;
  readonly valueSealed: Uint8Array;
}

/** The first record of a run under `loop: checkpoint`. Without it the run can't proceed. */
export function insertCheckpoint(
  permit: Permit,
  run: string,
  session: string,
  checkpoint: NewCheckpoint,
): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  return sql`
    insert into muniment.checkpoint
      (tenant_id, subject_id, run_id, session_id, checkpoint_id, step, resume_index, value_sealed, recorded_at)
    values (${tenant}, ${subject}, ${run}, ${session}, ${checkpoint.checkpointId}, ${checkpoint.step}, ${checkpoint.resumeIndex},
      ${checkpoint.valueSealed}, ${now})`;
}

export interface NextCheckpoint extends Omit<NewCheckpoint, "step" | "resumeIndex"> {
  /** Null: one after the stored step. */
  readonly step: number | null;
  /** Null: as stored. */
  readonly resumeIndex: number | null;
}

/**
 * Overwrites the run's record. A lost record is `checkpoint_missing`; a step behind the stored one is `version_conflict`; where
 * there is no next step it is `steps_spent`.
 */
export function replaceCheckpoint(permit: Permit, checkpoint: NextCheckpoint): Statement {
  const { tenant, subject, session, run, now } = runScope(permit);
  return sql`
    with stands as (
      select step from muniment.checkpoint
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
    ), written as (
      update muniment.checkpoint
      set checkpoint_id = ${checkpoint.checkpointId}, step = coalesce(${checkpoint.step}::integer, step + 1),
        resume_index = coalesce(${checkpoint.resumeIndex}::integer, resume_index), value_sealed = ${checkpoint.valueSealed}, recorded_at = ${now}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and case when ${checkpoint.step}::integer is null then step < ${LIMITS.loopStepsMax}::integer
          else step <= ${checkpoint.step}::integer end
      returning run_id
    )
    select muniment.require(exists (select 1 from stands), 'checkpoint_missing'),
      muniment.require(exists (select 1 from written) or ${checkpoint.step}::integer is not null, 'steps_spent'),
      muniment.require(exists (select 1 from written), 'version_conflict')`;
}
