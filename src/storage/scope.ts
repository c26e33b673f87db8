import { MunimentError } from "../domain/errors.js";
import type {
  KeyId,
  RouteId,
  RunId,
  SessionId,
  SubjectId,
  TenantId,
  WorkspaceId,
} from "../domain/ids.js";
import type { Permit, Scope } from "../domain/permit.js";

export interface TenantScope {
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
  readonly now: Date;
}

export interface SubjectScope extends TenantScope {
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  readonly recallFrom: readonly RouteId[];
}

export interface SessionScope extends SubjectScope {
  readonly session: SessionId;
  readonly turnsOf?: RunId;
}

export interface RunScope extends SessionScope {
  readonly run: RunId;
}

function key<T>(value: T | undefined, name: string): T {
  if (value === undefined)
    throw new MunimentError("internal", `the permit lacks the isolation key ${name}`);
  return value;
}

// INVARIANT: a missing isolation key is an error, never a wider query.

export function tenantScope({ scope }: { readonly scope: Scope }): TenantScope {
  return scope;
}

export function subjectScope({ scope }: { readonly scope: Scope }): SubjectScope {
  return { ...scope, subject: key(scope.subject, "subject"), keyId: key(scope.keyId, "key") };
}

export function sessionScope(permit: Permit): SessionScope {
  return { ...subjectScope(permit), session: key(permit.scope.session, "session") };
}

export function runScope(permit: Permit): RunScope {
  return { ...sessionScope(permit), run: key(permit.scope.run, "run") };
}

/** The run that receives slots in a handoff or a child's projection. */
export function targetScope(permit: Permit): RunScope {
  return { ...sessionScope(permit), run: key(permit.scope.targetRun, "target run") };
}
