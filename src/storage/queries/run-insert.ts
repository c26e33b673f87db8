import type { RunId } from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { Pin } from "../../domain/pin.js";
import { subjectScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface NewRun {
  readonly pin: Pin;
  readonly parent: RunId | null;
  readonly goalSealed: Uint8Array;
  /** HMAC of the pin under the subject's key. */
  readonly pinMac: Uint8Array;
  readonly expiresAt: Date;
  readonly state: "active" | "completed";
}

/** A run with its profile copied from the route version that was decided on. */
export function insertRun(permit: Permit, run: NewRun): Statement {
  const { tenant, subject, now } = subjectScope(permit);
  const { pin } = run;
  return sql`
    insert into muniment.run
      (tenant_id, subject_id, run_id, workspace_id, session_id, parent_run_id, route_id, route_version, profile, profile_hash,
       state, failure_code, version, resume_index, goal_sealed, pin_mac, expires_at, created_at, ended_at)
    values
      (${tenant}, ${subject}, ${pin.run}, ${pin.workspace}, ${pin.session}, ${run.parent}, ${pin.routeId}, ${pin.route.version},
       ${JSON.stringify(pin.route.memory_profile)}::jsonb, ${pin.profileHash},
       ${run.state}, null, 1, 0, ${run.goalSealed}, ${run.pinMac}, ${run.expiresAt}, ${now}, null)`;
}

/** Makes the run the session's active one and advances the subject; the old run keeps its own pin and data. */
export function activateRun(permit: Permit, run: RunId, session: string): Statement {
  const { tenant, subject, keyId, workspace } = subjectScope(permit);
  return sql`
    with live as (
      update muniment.subject set revision = revision + 1
      where tenant_id = ${tenant} and subject_id = ${subject} and key_id = ${keyId} and state = 'active'
      returning revision
    ), chosen as (
      update muniment.session set active_run_id = ${run}
      where tenant_id = ${tenant} and subject_id = ${subject} and session_id = ${session} and workspace_id = ${workspace}
        and state = 'open' and exists (select 1 from live)
      returning session_id
    )
    select muniment.require(exists (select 1 from live), 'subject_gone'),
      muniment.require(exists (select 1 from chosen), 'session_closed')`;
}
