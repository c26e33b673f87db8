import type { TurnId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { Pin } from "../../domain/pin.js";
import type { TurnRole } from "../../domain/turn.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface TurnRoleRow {
  readonly turnId: TurnId;
  readonly role: TurnRole;
}

/** Roles of named turns of the pin's own session, while they are its conversation. */
export function listTurnRoles(
  permit: Permit<"resolve">,
  pin: Pin,
  turns: readonly TurnId[],
): Statement<TurnRoleRow> {
  const { tenant, now } = tenantScope(permit);
  return sql<TurnRoleRow>`
    select t.turn_id as "turnId", t.role
    from muniment.turn t
    join muniment.session s on s.tenant_id = t.tenant_id and s.subject_id = t.subject_id and s.session_id = t.session_id
    where t.tenant_id = ${tenant} and t.subject_id = ${pin.subject} and t.session_id = ${pin.session}
      and t.workspace_id = ${pin.workspace} and t.turn_id = any(${turns}::uuid[]) and t.epoch = s.epoch and s.expires_at > ${now}
    order by t.seq
    limit ${turns.length}`;
}
