import type { FieldId, KeyId, RouteId, SessionId, SubjectId, WorkspaceId } from "../domain/ids.js";
import type { Pin } from "../domain/pin.js";
import type { Route } from "../domain/route.js";

// What a question can be about.

/** A run under its pin. For `start_run` it is the pin that the route decision would make. */
export interface RunResource {
  readonly type: "run";
  readonly pin: Pin;
}

/** A run whose slots go to another one. The target's pin may be one that is about to be made. */
export interface TransferResource extends RunResource {
  readonly target: Pin;
}

/** A subject that is written to in several of its sessions, under the route that the turns will have as their source. */
export interface SubjectResource {
  readonly type: "subject";
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly route: Route;
}

/** A chat of a subject, whatever runs it had. */
export interface SessionResource {
  readonly type: "session";
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly session: SessionId;
}

/** A subject's memory as a whole, in all workspaces: for jobs that derive from it, and for who answers for privacy. */
export interface MemoryResource {
  readonly type: "memory";
  readonly subject: SubjectId;
  readonly keyId: KeyId;
}

export interface RouteResource {
  readonly type: "route";
  readonly routeId: RouteId;
}

/** A route version as it would be written. */
export interface NewRouteResource {
  readonly type: "route";
  readonly route: Route;
}

export interface FieldResource {
  readonly type: "field";
  readonly fieldId: FieldId;
}

/** The store of one subject, as one workspace keeps it. */
export interface StoreResource {
  readonly type: "store";
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly workspace: WorkspaceId;
}

/** The caller's own tenant as a whole. */
export interface TenantResource {
  readonly type: "tenant";
}
