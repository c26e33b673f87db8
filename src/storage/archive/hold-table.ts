import { ERASURE_BASES, HOLD_SCOPES } from "../../domain/erasure.js";
import { type ArchivedTable, id, MAYBE, made, past, value } from "./archived-table.js";

/**
 * What mayn't be forgotten for now. A source has no id that travels: a hold of one is elsewhere a hold of its turn, or of the
 * first revision of a connector's record. What stands covers something of the person's own; one that was released tells of what
 * may be gone.
 */
export const HOLD: ArchivedTable = {
  table: "hold",
  since: "placed_at",
  columns: [
    id("hold_id"),
    made("subject_mac", "text"),
    value("basis", "text", { oneOf: ERASURE_BASES }),
    value("scope", "text", { oneOf: HOLD_SCOPES }),
    id("target"),
    past("placed_at"),
    id("placed_ref", MAYBE),
    past("released_at", MAYBE),
    id("released_ref", MAYBE),
  ],
  key: ["hold_id"],
  alive: "true",
  placed: `(n.released_at is not null or case n.scope
      when 'subject' then n.target = :subject
      when 'session' then exists (
        select 1 from muniment.session p where p.tenant_id = :tenant and p.subject_id = :subject and p.session_id = n.target)
      when 'run' then exists (
        select 1 from muniment.run p where p.tenant_id = :tenant and p.subject_id = :subject and p.run_id = n.target)
      when 'turn' then exists (
        select 1 from muniment.turn p where p.tenant_id = :tenant and p.subject_id = :subject and p.turn_id = n.target)
      else exists (
        select 1 from muniment.turn p where p.tenant_id = :tenant and p.subject_id = :subject and p.source_id = n.target)
        or exists (
          select 1 from muniment.event p
          where p.tenant_id = :tenant and p.subject_id = :subject and n.target in (p.source_id, p.event_id)) end)`,
  beside: {
    join: `left join muniment.turn c on c.tenant_id = n.tenant_id and c.subject_id = n.subject_id and n.scope = 'source'
        and c.source_id = n.target`,
    select: `c.turn_id as held_turn, case when n.scope = 'source' then (
        select v.event_id from muniment.event v
        where v.tenant_id = n.tenant_id and v.subject_id = n.subject_id and n.target in (v.source_id, v.event_id)
        order by v.source_revision
        limit 1) end as held_event`,
  },
};
