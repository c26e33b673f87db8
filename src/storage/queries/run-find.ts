import type {
  KeyId,
  RouteId,
  RunId,
  SessionId,
  SubjectId,
  TenantId,
  WorkspaceId,
} from "../../domain/ids.js";
import type { Permit } from "../../domain/permit.js";
import type { MemoryProfile } from "../../domain/profile.js";
import type { Route } from "../../domain/route.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";

export interface PinRow {
  readonly tenantId: TenantId;
  readonly workspaceId: WorkspaceId;
  readonly subjectId: SubjectId;
  readonly keyId: KeyId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly parentRunId: RunId | null;
  readonly routeId: RouteId;
  readonly definition: Route;
  readonly profile: MemoryProfile;
  readonly profileHash: string;
  readonly pinMac: Uint8Array;
}

/** What a run is pinned to: the immutable part of its row, its route version and its subject's key id. */
export function findRunPin(permit: Permit<"resolve">, run: RunId): Statement<PinRow> {
  const { tenant } = tenantScope(permit);
  return sql<PinRow>`
    select r.tenant_id as "tenantId", r.workspace_id as "workspaceId", r.subject_id as "subjectId", s.key_id as "keyId",
      r.session_id as "sessionId", r.run_id as "runId", r.parent_run_id as "parentRunId", r.route_id as "routeId", t.definition,
      r.profile, r.profile_hash as "profileHash", r.pin_mac as "pinMac"
    from muniment.run r
    join muniment.subject s on s.tenant_id = r.tenant_id and s.subject_id = r.subject_id
    join muniment.route t on t.tenant_id = r.tenant_id and t.route_id = r.route_id and t.version = r.route_version
    where r.tenant_id = ${tenant} and r.run_id = ${run} and s.state = 'active'
    order by r.run_id
    limit 1`;
}
