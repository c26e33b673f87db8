import type { PrincipalRef, TenantId, WorkspaceId } from "./ids.js";

export const PRINCIPAL_KINDS = ["human", "service", "agent", "job"] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

/** Roles that a policy asks about. A credential may name others: they open nothing. */
export const ROLES = [
  "app",
  "reader",
  "operator",
  "supervisor",
  "reviewer",
  "evaluator",
  "librarian",
  "settings",
  "release",
  "billing",
  "control_plane",
  "reconcile",
  "connector",
  "privacy_officer",
] as const;

/** What a verified credential says, in the credential's own (external) ids. Nothing else names a scope. */
export interface Claims {
  readonly issuer: string;
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly roles: readonly string[];
  readonly tenant: string;
  readonly workspace: string;
  /** External id. Where present, the only subject that this caller can reach. */
  readonly subject?: string;
  /** External id. Where present, the only session that this caller can reach. */
  readonly session?: string;
  /** Run id (ours). Where present, the only run that this caller can reach. */
  readonly run?: string;
}

/** The authenticated caller with its tenant and workspace resolved to internal ids. */
export interface Principal {
  readonly claims: Claims;
  readonly ref: PrincipalRef;
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
}
