/** Why something is forgotten. Each reason has its own rule for what may come again. */
export const ERASURE_REASONS = ["erase", "correct", "expire", "retract", "policy"] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/** What an erasure is about: the whole subject, or one thing of it with everything derived from it alone. */
export const ERASURE_SCOPES = [
  "subject",
  "session",
  "run",
  "source",
  "turn",
  "episode",
  "field",
] as const;
export type ErasureScopeKind = (typeof ERASURE_SCOPES)[number];

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
