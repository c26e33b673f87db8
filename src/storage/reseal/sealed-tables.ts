/** By which of the subject's keys a column is sealed: the one of texts, the one of terms, or that of what is no text. */
export type SealedAs = "text" | "terms" | "index";

type ColumnType =
  | "uuid"
  | "uuid[]"
  | "text"
  | "integer"
  | "bigint"
  | "boolean"
  | "timestamptz"
  | "bytea";

/** A table in which something is sealed under a subject's key. */
export interface SealedTable {
  readonly table: string;
  /** Columns that name a row, beside tenant and subject. */
  readonly key: Readonly<Record<string, ColumnType>>;
  readonly sealed: Readonly<Record<string, SealedAs>>;
  /** Other columns that a seal of the row is bound to. */
  readonly bound: readonly string[];
}

/**
 * Everything that is sealed under a subject's key. INVARIANT: complete; a test compares it with the lineage of all tables,
 * and that with the catalogue, so that nothing is left under a key that is destroyed.
 */
export const SEALED_TABLES = [
  {
    table: "turn",
    key: { turn_id: "uuid" },
    sealed: { content_sealed: "text", terms_sealed: "terms" },
    bound: ["session_id", "run_id", "workspace_id", "route_id", "role", "evidence_until"],
  },
  {
    table: "vector",
    key: { turn_id: "uuid", model: "text" },
    sealed: { sealed: "index" },
    bound: [],
  },
  { table: "run", key: { run_id: "uuid" }, sealed: { goal_sealed: "text" }, bound: ["session_id"] },
  {
    table: "working",
    key: { run_id: "uuid", class: "text", item_key: "text" },
    sealed: { value_sealed: "text" },
    bound: ["version"],
  },
  {
    table: "checkpoint",
    key: { run_id: "uuid" },
    sealed: { value_sealed: "text" },
    bound: ["checkpoint_id"],
  },
  {
    table: "escalation",
    key: { run_id: "uuid", escalation_id: "uuid" },
    sealed: { reason_sealed: "text", answer_sealed: "text" },
    bound: [],
  },
  {
    table: "trace",
    key: { trace_id: "uuid" },
    sealed: { facts_sealed: "text", prompts_sealed: "text" },
    bound: ["run_id"],
  },
  {
    table: "episode",
    key: { episode_id: "uuid" },
    sealed: { summary_sealed: "text", terms_sealed: "terms" },
    bound: ["session_id", "workspace_id", "route_id", "outcome"],
  },
  {
    table: "observation",
    key: { observation_id: "uuid" },
    sealed: { body_sealed: "text", terms_sealed: "terms" },
    bound: [
      "session_id",
      "workspace_id",
      "route_id",
      "dimension_id",
      "basis",
      "tier",
      "is_safety",
      "turn_ids",
      "supersedes",
    ],
  },
  {
    table: "event",
    key: { event_id: "uuid" },
    sealed: { body_sealed: "text" },
    bound: [
      "workspace_id",
      "source_revision",
      "kind",
      "is_withdrawn",
      "effective_at",
      "recorded_at",
      "expires_at",
    ],
  },
  // Before the values that are copied from it.
  {
    table: "candidate",
    key: { candidate_id: "uuid" },
    sealed: { value_sealed: "text", proposer_sealed: "text", approver_sealed: "text" },
    bound: [
      "workspace_id",
      "field_id",
      "definition_version",
      "session_key",
      "origin",
      "removed",
      "value_hash",
    ],
  },
  {
    table: "promotion",
    key: { promotion_id: "uuid" },
    sealed: { actor_sealed: "text" },
    bound: [
      "candidate_id",
      "workspace_id",
      "field_id",
      "definition_version",
      "session_key",
      "source",
      "path",
      "rule",
      "new_hash",
    ],
  },
  {
    table: "field_value",
    key: { workspace_id: "uuid", field_id: "text", session_key: "uuid", version: "integer" },
    sealed: { value_sealed: "text" },
    bound: ["candidate_id", "definition_version", "source", "removed", "value_hash"],
  },
  {
    table: "view",
    key: { workspace_id: "uuid", view_id: "text" },
    sealed: { body_sealed: "text" },
    bound: ["version"],
  },
  {
    table: "segment",
    key: { segment_id: "uuid" },
    sealed: { sealed: "index" },
    bound: ["analyser", "after_revision", "upto_revision", "purge_revision"],
  },
  {
    table: "external_id",
    key: { kind: "text", lookup: "bytea" },
    sealed: { sealed: "text" },
    bound: ["internal_id"],
  },
  {
    table: "idempotency",
    key: { principal_ref: "uuid", operation: "text", key_mac: "bytea" },
    sealed: { reply_sealed: "text" },
    bound: [],
  },
] as const satisfies readonly SealedTable[];
export type SealedTableName = (typeof SEALED_TABLES)[number]["table"];
