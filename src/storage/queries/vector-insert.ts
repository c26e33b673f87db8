import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { Reached } from "./vector-list.js";

export interface NewVector extends Reached {
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

/** Vectors of turns, where the turns are still there as they were read. */
export function insertVectors(
  permit: Permit,
  model: string,
  vectors: readonly NewVector[],
): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const ids = vectors.map(({ turnId }) => turnId);
  const revisions = vectors.map(({ revision }) => revision);
  const sealed = vectors.map((vector) => vector.sealed);
  return sql`
    insert into muniment.vector (tenant_id, subject_id, turn_id, model, revision, recorded_at, sealed)
    select t.tenant_id, t.subject_id, t.turn_id, ${model}::text, t.revision, ${now}::timestamptz, made.sealed
    from unnest(${ids}::uuid[], ${revisions}::bigint[], ${sealed}::bytea[]) as made(turn_id, revision, sealed)
    join muniment.turn t on t.turn_id = made.turn_id and t.revision = made.revision
    where t.tenant_id = ${tenant} and t.subject_id = ${subject}
    on conflict (tenant_id, subject_id, turn_id, model) do update
    set revision = excluded.revision, recorded_at = excluded.recorded_at, sealed = excluded.sealed`;
}
