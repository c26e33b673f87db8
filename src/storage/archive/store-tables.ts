import {
  type ArchivedTable,
  hash,
  id,
  ids,
  MAYBE,
  made,
  past,
  sealedJson,
  sealedText,
  stands,
  time,
  value,
  workspace,
} from "./archived-table.js";

export const CANDIDATE: ArchivedTable = {
  table: "candidate",
  since: "created_at",
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
    past("created_at"),
    past("decided_at", MAYBE),
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
  since: "recorded_at",
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
    past("recorded_at"),
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
  since: "updated_at",
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
    past("updated_at"),
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
