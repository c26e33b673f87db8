import type { KeyId, RouteId, RunId, SessionId, SubjectId, TenantId, WorkspaceId } from "./ids.js";
import type { Route } from "./route.js";

/**
 * What a run was pinned to at its route decision. Immutable, so it is cached by (tenant, run);
 * whatever can change (state, version, expiry) is asserted again in each statement.
 */
export interface Pin {
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly session: SessionId;
  readonly run: RunId;
  /** The run that started this one as its child. */
  readonly parent?: RunId;
  readonly routeId: RouteId;
  readonly route: Route;
  readonly profileHash: string;
}
