import { NIL_ID, type TurnId, trustedId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import { rechecked, type Statement, sql } from "../sql.js";

/** How far the vectors of one model reach: turns are gone through by revision, then by id. */
export interface Reached {
  readonly revision: number;
  readonly turnId: TurnId;
}

/** Before the first turn. */
export const NO_VECTORS: Reached = {
  revision: 0,
  turnId: trustedId<"TurnId">(NIL_ID),
};

export interface VectorRow extends Reached {
  readonly tenantId: string;
  readonly subjectId: string;
  /** No bytes for a turn that the model doesn't read. */
  readonly sealed: Uint8Array;
}

/** The subject's vectors of one model behind those that reached so far, in their order. */
export function listVectors(
  permit: Permit,
  model: string,
  reached: Reached,
  limit: number,
): Statement<VectorRow> {
  const { tenant, subject } = subjectScope(permit);
  return rechecked(
    { subject: true },
    sql<VectorRow>`
      select tenant_id as "tenantId", subject_id as "subjectId", turn_id as "turnId", revision, sealed
      from muniment.vector
      where tenant_id = ${tenant} and subject_id = ${subject} and model = ${model}
        and (revision, turn_id) > (${reached.revision}::bigint, ${reached.turnId}::uuid)
      order by revision, turn_id
      limit ${limit}`,
  );
}

/** The last of the subject's vectors of one model. */
export function readReached(permit: Permit, model: string): Statement<Reached> {
  const { tenant, subject } = subjectScope(permit);
  return sql<Reached>`
    select revision, turn_id as "turnId"
    from muniment.vector
    where tenant_id = ${tenant} and subject_id = ${subject} and model = ${model}
    order by revision desc, turn_id desc
    limit 1`;
}
