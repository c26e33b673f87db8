import { WORKING_CLASSES } from "../../domain/working.js";
import {
  type ArchivedTable,
  id,
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

export const OUTCOMES = ["completed", "failed", "closed"] as const;
const IN_ITS_RUN = stands("run", ["run_id", "session_id"]);
const RUN_ALIVE = stands("run", ["run_id"], " and p.expires_at > :now");

export const SESSION: ArchivedTable = {
  table: "session",
  since: "created_at",
  columns: [
    id("session_id"),
    workspace(),
    id("active_run_id", MAYBE),
    value("state", "text", { oneOf: ["open", "closed"] }),
    value("epoch", "integer"),
    value("compressed_epoch", "integer"),
    value("observed_epoch", "integer"),
    value("last_seq", "bigint"),
    time("expires_at"),
    past("created_at"),
    past("closed_at", MAYBE),
    past("processed_at", MAYBE),
    value("wants_observation", "boolean"),
    value("observed_seq", "bigint"),
    value("observed_imported", "boolean"),
  ],
  key: ["session_id"],
  isNamed: true,
  alive: "true",
  placed: stands("external_id", [], " and p.kind = 'session' and p.internal_id = n.session_id"),
};

export const RUN: ArchivedTable = {
  table: "run",
  since: "created_at",
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
    past("created_at"),
    past("ended_at", MAYBE),
    made("knows_forgotten", "boolean"),
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
  since: "recorded_at",
  columns: [
    id("run_id"),
    value("class", "text", { oneOf: WORKING_CLASSES }),
    value("item_key", "text"),
    id("session_id"),
    value("seq", "bigint"),
    value("version", "integer"),
    sealedJson("value_sealed"),
    past("recorded_at"),
    time("expires_at", MAYBE),
  ],
  key: ["run_id", "class", "item_key"],
  alive: `(n.expires_at is null or n.expires_at > :now) and ${RUN_ALIVE}`,
  placed: IN_ITS_RUN,
};

export const CHECKPOINT: ArchivedTable = {
  table: "checkpoint",
  since: "recorded_at",
  columns: [
    id("run_id"),
    id("session_id"),
    id("checkpoint_id"),
    value("step", "integer"),
    value("resume_index", "integer"),
    sealedJson("value_sealed"),
    past("recorded_at"),
  ],
  key: ["run_id"],
  alive: RUN_ALIVE,
  placed: IN_ITS_RUN,
};

export const ESCALATION: ArchivedTable = {
  table: "escalation",
  since: "raised_at",
  columns: [
    id("run_id"),
    id("escalation_id"),
    id("session_id"),
    value("raised_by", "text", { oneOf: ["human", "service", "agent", "job"] }),
    past("raised_at"),
    sealedJson("reason_sealed"),
    id("answered_by", MAYBE),
    past("answered_at", MAYBE),
    sealedText("answer_sealed", MAYBE),
  ],
  key: ["run_id", "escalation_id"],
  alive: "true",
  placed: IN_ITS_RUN,
};
