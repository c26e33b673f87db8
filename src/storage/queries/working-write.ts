import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import type { WorkingClass } from "../../domain/working.js";
import { type RunScope, runScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewWorking {
  readonly class: WorkingClass;
  readonly key: string;
  readonly version: number;
  readonly valueSealed: Uint8Array;
  /** Own end where it comes before the run's, as for scratch refs. */
  readonly expiresAt: Date | null;
}

/** A new working row, numbered by the run's version (rows of one write: by key). Fails with `version_conflict` where the key is taken. */
export function insertWorking(scope: RunScope, item: NewWorking): Statement {
  const { tenant, subject, session, run, now } = scope;
  return sql`
    with made as (
      insert into muniment.working
        (tenant_id, subject_id, run_id, class, item_key, session_id, seq, version, value_sealed, recorded_at, expires_at)
      select r.tenant_id, r.subject_id, r.run_id, ${item.class}::text, ${item.key}::text, r.session_id, r.version, ${item.version}::integer,
        ${item.valueSealed}::bytea, ${now}::timestamptz, ${item.expiresAt}::timestamptz
      from muniment.run r
      where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.run_id = ${run} and r.session_id = ${session}
      on conflict (tenant_id, subject_id, run_id, class, item_key) do nothing
      returning item_key
    )
    select muniment.require(exists (select 1 from made), 'version_conflict')`;
}

/** Compare-and-set of a row that must stand at the version before. */
export function replaceWorking(permit: Permit, item: NewWorking): Statement {
  const { tenant, subject, session, run, now } = runScope(permit);
  return sql`
    with replaced as (
      update muniment.working
      set version = ${item.version}::integer, value_sealed = ${item.valueSealed}, recorded_at = ${now}, expires_at = ${item.expiresAt}
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
        and class = ${item.class} and item_key = ${item.key} and version = ${item.version}::integer - 1
      returning item_key
    )
    select muniment.require(exists (select 1 from replaced), 'version_conflict')`;
}

/** Fails with `working_full` where the run's working memory, with what was just written, is above its bound. */
export function requireWorkingBound(scope: RunScope): Statement {
  const { tenant, subject, session, run } = scope;
  return sql`
    with kept as (
      select coalesce(sum(octet_length(value_sealed)), 0) as bytes
      from muniment.working
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
    )
    select muniment.require((select bytes from kept) <= ${LIMITS.workingBytesMax}::bigint, 'working_full')`;
}

/** Removes all rows of one class of the run, before its new ones are written. */
export function deleteWorkingByClass(permit: Permit, workingClass: WorkingClass): Statement {
  const { tenant, subject, session, run } = runScope(permit);
  return sql`
    delete from muniment.working
    where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
      and class = ${workingClass}`;
}
