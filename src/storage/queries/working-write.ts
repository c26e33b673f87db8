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

/**
 * New working rows, numbered by the run's version (rows of one write: by key). Fails with `version_conflict` where a key is
 * taken, and with `working_full` where the run's working memory, with what was just written, is above its bound.
 */
export function insertWorking(scope: RunScope, items: readonly NewWorking[]): Statement {
  const { tenant, subject, session, run, now } = scope;
  const column = <K extends keyof NewWorking>(name: K) => items.map((item) => item[name]);
  return sql`
    with kept as (
      select coalesce(sum(octet_length(value_sealed)), 0) as bytes
      from muniment.working
      where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
    ), made as (
      insert into muniment.working
        (tenant_id, subject_id, run_id, class, item_key, session_id, seq, version, value_sealed, recorded_at, expires_at)
      select r.tenant_id, r.subject_id, r.run_id, n.class, n.item_key, r.session_id, r.version, n.version, n.value_sealed,
        ${now}::timestamptz, n.expires_at
      from muniment.run r
      cross join unnest(${column("class")}::text[], ${column("key")}::text[], ${column("version")}::integer[],
        ${column("valueSealed")}::bytea[], ${column("expiresAt")}::timestamptz[]) as n (class, item_key, version, value_sealed, expires_at)
      where r.tenant_id = ${tenant} and r.subject_id = ${subject} and r.run_id = ${run} and r.session_id = ${session}
      on conflict (tenant_id, subject_id, run_id, class, item_key) do nothing
      returning octet_length(value_sealed) as bytes
    )
    select muniment.require((select count(*) from made) = ${items.length}::integer, 'version_conflict'),
      muniment.require((select bytes from kept) + (select coalesce(sum(bytes), 0) from made) <= ${LIMITS.workingBytesMax}::bigint,
        'working_full')`;
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

/** Removes all rows of one class of the run, before its new ones are written. */
export function deleteWorkingByClass(permit: Permit, workingClass: WorkingClass): Statement {
  const { tenant, subject, session, run } = runScope(permit);
  return sql`
    delete from muniment.working
    where tenant_id = ${tenant} and subject_id = ${subject} and run_id = ${run} and session_id = ${session}
      and class = ${workingClass}`;
}
