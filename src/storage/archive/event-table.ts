import { EVENT_KINDS } from "../../domain/event.js";
import {
  type ArchivedTable,
  id,
  MAYBE,
  made,
  observer,
  past,
  sealedJson,
  source,
  speaker,
  time,
  value,
  workspace,
} from "./archived-table.js";

/** What connectors said, in the order in which it was recorded. */
export const EVENT: ArchivedTable = {
  table: "event",
  since: "effective_at",
  columns: [
    id("event_id"),
    workspace(),
    { ...source(), nullable: false },
    value("source_revision", "bigint"),
    // A line's `kind` says what the line is.
    { ...value("kind", "text", { oneOf: EVENT_KINDS }), as: "event_kind" },
    value("is_withdrawn", "boolean"),
    made("key_mac", "bytea"),
    made("content_mac", "bytea"),
    speaker(),
    observer(),
    made("revision", "bigint"),
    time("effective_at"),
    past("recorded_at"),
    time("expires_at", MAYBE),
    sealedJson("body_sealed"),
  ],
  key: ["event_id"],
  order: ["revision", "event_id"],
  alive: "(n.expires_at is null or n.expires_at > :now)",
  // A record ends with its newest revision: what it said before doesn't become current elsewhere.
  kept: `not exists (select 1 from muniment.event p
      where p.tenant_id = :tenant and p.subject_id = :subject and p.source_id = n.source_id
        and p.source_revision > n.source_revision and p.expires_at <= :now)`,
  placed: "true",
};
