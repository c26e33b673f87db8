import type { ErasureId, KeyId, SubjectId } from "./ids.js";

/** Why something is forgotten. Each reason has its own rule for what may come again. */
export const ERASURE_REASONS = ["erase", "correct", "expire", "retract", "policy"] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/** What is forgotten of a subject that lives on: one thing of it with everything derived from it alone. */
export const NARROW_SCOPES = ["session", "run", "source", "turn", "episode", "field"] as const;
export type NarrowScope = (typeof NARROW_SCOPES)[number];

/** What an erasure is about: the whole subject, or a thing of it. */
export type ErasureScopeKind = "subject" | NarrowScope;

/** What a legal hold can cover: a person, or something with turns of its own. What derives from it is covered with it. */
export const HOLD_SCOPES = [
  "subject",
  "session",
  "run",
  "source",
  "turn",
] as const satisfies readonly ErasureScopeKind[];
export type HoldScope = (typeof HOLD_SCOPES)[number];

/** What obliges to it: a closed list of words, so that no text of a person gets into the ledger. */
export const ERASURE_BASES = [
  "data_subject_request",
  "consent_withdrawn",
  "source_withdrawn",
  "retention_policy",
  "correction",
  "legal_duty",
  "clean_up",
] as const;
export type ErasureBasis = (typeof ERASURE_BASES)[number];

/** An erasure, whoever still knows of it: the one that asks, the database, or the ledger alone. */
export interface Erasure {
  readonly erasureId: ErasureId;
  readonly subjectId: SubjectId;
  /** Key that goes with a whole subject; null for a narrower scope. */
  readonly keyId: KeyId | null;
  /** HMAC of the external id under the ledger's key. */
  readonly subjectMac: string;
  readonly reason: ErasureReason;
  readonly basis: ErasureBasis;
  readonly scope: ErasureScopeKind;
  readonly target: string;
  readonly requestedAt: Date;
}
