import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Reached } from "./vector-list.js";

export interface NewVector extends Reached {
  readonly model: string;
  readonly sealed: Uint8Array;
}

/** Under the lock: nobody wrote vectors of the model behind those that were there. */
export function requireReached(permit: Permit, model: string, reached: Reached): Statement {
  const { tenant, subject } = subjectScope(permit);
  return sql`
    with later as (
      select turn_id from muniment.vector
      where tenant_id = ${tenant} and subject_id = ${subject} and model = ${model}
        and (revision, turn_id) > (${reached.revision}::bigint, ${reached.turnId}::uuid)
    )
    select muniment.require(not exists (select 1 from later), 'embedded_meanwhile')`;
}

/** A turn's vectors, where the turn is still there as it was read. */
export function insertVector(permit: Permit, vector: NewVector): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const { turnId, revision, model, sealed } = vector;
  return sql`
    insert into muniment.vector (tenant_id, subject_id, turn_id, model, revision, recorded_at, sealed)
    select t.tenant_id, t.subject_id, t.turn_id, ${model}::text, t.revision, ${now}::timestamptz, ${sealed}::bytea
    from muniment.turn t
    where t.tenant_id = ${tenant} and t.subject_id = ${subject} and t.turn_id = ${turnId} and t.revision = ${revision}
    on conflict (tenant_id, subject_id, turn_id, model) do update
    set revision = excluded.revision, recorded_at = excluded.recorded_at, sealed = excluded.sealed`;
}
