import { WORKING_CLASSES } from "../../domain/working.js";
import {
  type ArchivedTable,
  hash,
  id,
  ids,
  MAYBE,
  made,
  sealedJson,
  sealedText,
  source,
  speaker,
  stands,
  time,
  value,
  workspace,
} from "./archived-table.js";

const OUTCOMES = ["completed", "failed", "closed"];
const IN_ITS_RUN = stands("run", ["run_id", "session_id"]);
const RUN_ALIVE = stands("run", ["run_id"], " and p.expires_at > :now");

export const SESSION: ArchivedTable = {
  table: "session",
  columns: [
    id("session_id"),
    workspace(),
    id("active_run_id", MAYBE),
    value("state", "text", { oneOf: ["open", "closed"] }),
    value("epoch", "integer"),
    value("compressed_epoch", "integer"),
    value("last_seq", "bigint"),
    time("expires_at"),
    time("created_at"),
    time("closed_at", MAYBE),
  ],
  key: ["session_id"],
  isNamed: true,
  alive: "true",
  placed: stands("external_id", [], " and p.kind = 'session' and p.internal_id = n.session_id"),
};

export const RUN: ArchivedTable = {
  table: "run",
  columns: [
    id("run_id"),
    workspace(),
    id("session_id"),
    id("parent_run_id", MAYBE),
    value("route_id", "text"),
    value("route_version", "integer"),
    made("profile", "jsonb"),
    made("profile_hash", "text"),
    value("state", "text", { oneOf: ["active", "waiting", ...OUTCOMES] }),
    value("failure_code", "text", MAYBE),
    value("version", "bigint"),
    value("resume_index", "integer"),
    sealedText("goal_sealed", MAYBE),
    made("pin_mac", "bytea"),
    time("expires_at"),
    time("created_at"),
    time("ended_at", MAYBE),
  ],
  key: ["run_id"],
  alive: "true",
  placed: stands("session", ["session_id", "workspace_id"]),
  beside: {
    join: `join muniment.route d on d.tenant_id = n.tenant_id and d.route_id = n.route_id and d.version = n.route_version`,
    select: "d.definition",
  },
};

export const WORKING: ArchivedTable = {
  table: "working",
  columns: [
    id("run_id"),
    value("class", "text", { oneOf: WORKING_CLASSES }),
    value("item_key", "text"),
    id("session_id"),
    value("seq", "bigint"),
    value("version", "integer"),
    sealedJson("value_sealed"),
    time("recorded_at"),
    time("expires_at", MAYBE),
  ],
  key: ["run_id", "class", "item_key"],
  alive: `(n.expires_at is null or n.expires_at > :now) and ${RUN_ALIVE}`,
  placed: IN_ITS_RUN,
};

export const CHECKPOINT: ArchivedTable = {
  table: "checkpoint",
  columns: [
    id("run_id"),
    id("session_id"),
    id("checkpoint_id"),
    value("step", "integer"),
    value("resume_index", "integer"),
    sealedJson("value_sealed"),
    time("recorded_at"),
  ],
  key: ["run_id"],
  alive: RUN_ALIVE,
  placed: IN_ITS_RUN,
};

export const ESCALATION: ArchivedTable = {
  table: "escalation",
  columns: [
    id("run_id"),
    id("escalation_id"),
    id("session_id"),
    value("raised_by", "text", { oneOf: ["human", "service", "agent", "job"] }),
    time("raised_at"),
    sealedJson("reason_sealed"),
    id("answered_by", MAYBE),
    time("answered_at", MAYBE),
    sealedText("answer_sealed", MAYBE),
  ],
  key: ["run_id", "escalation_id"],
  alive: "true",
  placed: IN_ITS_RUN,
};

export const TURN: ArchivedTable = {
  table: "turn",
  columns: [
    id("turn_id"),
    id("session_id"),
    value("seq", "bigint"),
    workspace(),
    id("run_id"),
    value("route_id", "text"),
    value("epoch", "integer"),
    value("role", "text", { oneOf: ["user", "assistant", "system", "tool_call", "tool_result"] }),
    speaker(),
    source(),
    made("revision", "bigint"),
    time("observed_at"),
    time("recorded_at"),
    time("evidence_until", MAYBE),
    sealedJson("content_sealed"),
    made("terms_sealed", "bytea"),
  ],
  key: ["turn_id"],
  order: ["session_id", "seq"],
  alive: `(n.evidence_until > :now or ${stands("session", ["session_id", "epoch"], " and p.expires_at > :now")})`,
  placed: stands("run", ["run_id", "session_id", "workspace_id", "route_id"]),
};

export const EPISODE: ArchivedTable = {
  table: "episode",
  columns: [
    id("episode_id"),
    workspace(),
    id("session_id"),
    id("run_id"),
    value("route_id", "text"),
    value("data_class", "text", MAYBE),
    value("origin", "text", { oneOf: ["session_close", "append"] }),
    value("outcome", "text", { oneOf: OUTCOMES }),
    value("unpromoted", "boolean"),
    ids("turn_ids"),
    made("revision", "bigint"),
    time("observed_at"),
    time("recorded_at"),
    time("expires_at"),
    sealedJson("summary_sealed"),
    made("terms_sealed", "bytea"),
  ],
  key: ["episode_id"],
  alive: "n.expires_at > :now",
  placed: stands("run", ["run_id", "session_id", "workspace_id", "route_id"]),
};

export const TRACE: ArchivedTable = {
  table: "trace",
  columns: [
    id("trace_id"),
    workspace(),
    id("session_id"),
    id("run_id"),
    value("route_id", "text"),
    value("outcome", "text", { oneOf: [...OUTCOMES, "waiting"] }),
    value("terminal_reason", "text"),
    value("stages", "text[]"),
    time("recorded_at"),
    time("expires_at"),
    time("rolled_up_at", MAYBE),
    sealedJson("facts_sealed", MAYBE),
    sealedJson("prompts_sealed", MAYBE),
  ],
  key: ["trace_id"],
  alive: "n.expires_at > :now",
  placed: stands("run", ["run_id", "session_id", "workspace_id", "route_id"]),
};

export const CANDIDATE: ArchivedTable = {
  table: "candidate",
  columns: [
    id("candidate_id"),
    workspace(),
    value("field_id", "text"),
    value("definition_version", "integer"),
    id("session_key"),
    id("run_id", MAYBE),
    value("route_id", "text", MAYBE),
    value("origin", "text"),
    value("state", "text", { oneOf: ["open", "quarantined", "promoted", "rejected"] }),
    sealedJson("value_sealed"),
    hash("value_hash"),
    value("removed", "boolean"),
    ids("evidence"),
    id("proposer_ref"),
    sealedText("proposer_sealed"),
    id("approver_ref", MAYBE),
    sealedText("approver_sealed", MAYBE),
    id("decided_ref", MAYBE),
    time("created_at"),
    time("decided_at", MAYBE),
    time("expires_at"),
  ],
  key: ["candidate_id"],
  alive: "n.expires_at > :now",
  placed: "true",
  beside: {
    join: `join muniment.field d on d.tenant_id = n.tenant_id and d.field_id = n.field_id and d.version = n.definition_version`,
    select: "d.definition",
  },
};

/** The log, oldest first: a decision finds the one before it. Its value travels with it, so that its hash can be made again. */
export const PROMOTION: ArchivedTable = {
  table: "promotion",
  columns: [
    id("promotion_id"),
    workspace(),
    value("field_id", "text"),
    value("definition_version", "integer"),
    id("session_key"),
    value("version", "integer"),
    value("old_version", "integer", MAYBE),
    hash("old_hash"),
    hash("new_hash"),
    value("path", "text", { oneOf: ["human", "evaluator", "reconcile"] }),
    value("rule", "text"),
    value("source", "text"),
    id("candidate_id"),
    id("reverts", MAYBE),
    id("actor_ref"),
    value("actor_kind", "text", { oneOf: ["human", "service", "agent", "job"] }),
    sealedText("actor_sealed"),
    id("approver_ref", MAYBE),
    id("run_id", MAYBE),
    value("policy_ids", "text[]"),
    value("policy_set", "text"),
    time("recorded_at"),
    made("revision", "bigint"),
  ],
  key: ["promotion_id"],
  order: ["revision", "promotion_id"],
  alive: "true",
  placed: "true",
  beside: {
    join: `left join muniment.field_value v on v.tenant_id = n.tenant_id and v.subject_id = n.subject_id
        and v.workspace_id = n.workspace_id and v.field_id = n.field_id and v.session_key = n.session_key and v.version = n.version
        and (v.expires_at is null or v.expires_at > :now)
      left join muniment.candidate c on c.tenant_id = n.tenant_id and c.subject_id = n.subject_id
        and c.candidate_id = n.candidate_id and c.value_hash = n.new_hash and c.expires_at > :now`,
    select: `coalesce(v.value_sealed, c.value_sealed) as value_sealed, coalesce(v.removed, c.removed) as removed`,
  },
  filled: {
    old_hash: `case when n.old_version is null then null else coalesce(n.old_hash, (
      select p.new_hash from muniment.promotion p
      where p.tenant_id = :tenant and p.subject_id = :subject and p.workspace_id = n.workspace_id and p.field_id = n.field_id
        and p.session_key = n.session_key and p.version = n.old_version)) end`,
  },
};

export const FIELD_VALUE: ArchivedTable = {
  table: "field_value",
  columns: [
    workspace(),
    value("field_id", "text"),
    id("session_key"),
    value("version", "integer"),
    id("promotion_id"),
    id("candidate_id"),
    value("definition_version", "integer"),
    sealedJson("value_sealed"),
    hash("value_hash"),
    value("removed", "boolean"),
    value("source", "text"),
    id("run_id", MAYBE),
    time("updated_at"),
    time("expires_at", MAYBE),
  ],
  key: ["workspace_id", "field_id", "session_key", "version"],
  alive: "(n.expires_at is null or n.expires_at > :now)",
  // INVARIANT: no value stands without the decision that wrote exactly it.
  placed: stands(
    "promotion",
    [
      "promotion_id",
      "workspace_id",
      "field_id",
      "session_key",
      "version",
      "candidate_id",
      "source",
    ],
    " and p.new_hash = n.value_hash and p.definition_version = n.definition_version",
  ),
  beside: {
    join: `join muniment.field d on d.tenant_id = n.tenant_id and d.field_id = n.field_id and d.version = n.definition_version`,
    select: "d.definition",
  },
};

/** A subject's tables in the order in which they travel: what belongs to another comes after it. */
export const SUBJECT_TABLES = [
  SESSION,
  RUN,
  WORKING,
  CHECKPOINT,
  ESCALATION,
  TURN,
  EPISODE,
  TRACE,
  CANDIDATE,
  PROMOTION,
  FIELD_VALUE,
] as const;
