/** How the rows of a table hang on what they were made of, where something narrower than a whole subject is forgotten. */
export type Origin =
  /** By the session, run, source or turn that it says it is of. */
  | "own"
  /** By the turns that it cites: what cites others too is made again from these, or keeps them alone. */
  | "cites"
  /** By the run in which it was written, from the moment on in which the run knew what is forgotten. */
  | "written_after"
  /** By the candidate that it was promoted from. */
  | "candidate"
  /** By the turns and events that name it. */
  | "named_by"
  /** Derived from everything of the subject: dropped whole, and made again or asked for again. */
  | "whole"
  /** Ends with the subject alone. */
  | "subject"
  /** Keeps ids, times, verdicts and hashes. */
  | "record"
  /** Not about a person. */
  | "nobody";

export interface Lineage {
  readonly origin: Origin;
  /** Columns with sealed or hashed bytes. */
  readonly bytes: readonly string[];
  /** Columns with words or documents of ours: names, verdicts, references. No text of a person gets there. */
  readonly words: readonly string[];
  /** Columns that list what the row was made of. */
  readonly sources: readonly string[];
}

const NO_COLUMNS = { bytes: [], words: [], sources: [] } as const;

/**
 * Every table, and each of its columns that could hold text of a person or lead to one. INVARIANT: complete; a test compares
 * it with the catalogue, so that a new table can't be forgotten when something is forgotten.
 */
export const LINEAGE: Readonly<Record<string, Lineage>> = {
  turn: {
    origin: "own",
    bytes: ["content_sealed", "terms_sealed"],
    words: ["route_id", "role"],
    sources: [],
  },
  vector: { ...NO_COLUMNS, origin: "own", bytes: ["sealed"], words: ["model"] },
  session: { ...NO_COLUMNS, origin: "own", words: ["state"] },
  run: {
    origin: "own",
    bytes: ["goal_sealed", "pin_mac"],
    words: ["route_id", "profile", "profile_hash", "state", "failure_code"],
    sources: [],
  },
  pack: { ...NO_COLUMNS, origin: "own", bytes: ["content_mac"], words: ["manifest"] },
  work: { ...NO_COLUMNS, origin: "own", words: ["kind", "detail", "state", "problem"] },
  episode: {
    origin: "cites",
    bytes: ["summary_sealed", "terms_sealed"],
    words: ["route_id", "data_class", "origin", "outcome"],
    sources: ["turn_ids"],
  },
  observation: {
    origin: "cites",
    bytes: ["content_mac", "body_sealed", "terms_sealed"],
    words: ["route_id", "dimension_id", "basis", "tier"],
    sources: ["turn_ids"],
  },
  event: {
    ...NO_COLUMNS,
    origin: "own",
    bytes: ["key_mac", "content_mac", "body_sealed"],
    words: ["kind"],
  },
  candidate: {
    origin: "cites",
    bytes: ["value_sealed", "value_hash", "proposer_sealed", "approver_sealed"],
    words: ["field_id", "route_id", "origin", "state"],
    sources: ["evidence"],
  },
  working: {
    ...NO_COLUMNS,
    origin: "written_after",
    bytes: ["value_sealed"],
    words: ["class", "item_key"],
  },
  checkpoint: { ...NO_COLUMNS, origin: "written_after", bytes: ["value_sealed"] },
  escalation: {
    ...NO_COLUMNS,
    origin: "written_after",
    bytes: ["reason_sealed", "answer_sealed"],
    words: ["raised_by"],
  },
  trace: {
    ...NO_COLUMNS,
    origin: "written_after",
    bytes: ["facts_sealed", "prompts_sealed"],
    words: ["route_id", "outcome", "terminal_reason", "stages"],
  },
  field_value: {
    ...NO_COLUMNS,
    origin: "candidate",
    bytes: ["value_sealed", "value_hash"],
    words: ["field_id", "source"],
  },
  external_id: {
    ...NO_COLUMNS,
    origin: "named_by",
    bytes: ["lookup", "sealed"],
    words: ["kind"],
  },
  segment: { ...NO_COLUMNS, origin: "whole", bytes: ["sealed"] },
  view: {
    origin: "whole",
    bytes: ["body_sealed"],
    words: ["view_id"],
    sources: ["depends"],
  },
  idempotency: {
    ...NO_COLUMNS,
    origin: "whole",
    bytes: ["key_mac", "request_mac", "reply_sealed", "tombstone_mac"],
    words: ["operation"],
  },
  subject: { ...NO_COLUMNS, origin: "subject", words: ["state"] },
  audit: {
    ...NO_COLUMNS,
    origin: "record",
    words: [
      "operation",
      "verdict",
      "refusal",
      "principal_kind",
      "policy_ids",
      "policy_set",
      "route_id",
      "memory_profile",
      "isolation_keys",
      "memory_reads",
      "memory_writes",
      "ttl_policy",
      "foreign_ref",
      "request_id",
    ],
  },
  promotion: {
    ...NO_COLUMNS,
    origin: "record",
    bytes: ["old_hash", "new_hash", "actor_sealed"],
    words: ["field_id", "path", "rule", "source", "actor_kind", "policy_ids", "policy_set"],
  },
  erasure: {
    ...NO_COLUMNS,
    origin: "record",
    words: ["subject_mac", "reason", "basis", "scope", "state", "removed", "reached", "receipt"],
  },
  hold: { ...NO_COLUMNS, origin: "record", words: ["subject_mac", "basis", "scope"] },
  tombstone: { ...NO_COLUMNS, origin: "record", bytes: ["item_mac"], words: ["kind", "reason"] },
  ledger_head: { ...NO_COLUMNS, origin: "record", words: ["mac"] },
  workspace: { ...NO_COLUMNS, origin: "nobody", words: ["name"] },
  route: {
    ...NO_COLUMNS,
    origin: "nobody",
    bytes: ["author_sealed"],
    words: ["route_id", "definition", "profile_hash", "reason"],
  },
  dimension: {
    ...NO_COLUMNS,
    origin: "nobody",
    bytes: ["author_sealed"],
    words: ["dimension_id", "definition", "reason"],
  },
  model_usage: { ...NO_COLUMNS, origin: "nobody", words: ["task"] },
  field: {
    ...NO_COLUMNS,
    origin: "nobody",
    bytes: ["author_sealed"],
    words: ["field_id", "definition", "reason"],
  },
};
