import { z } from "zod";
import { EVENT_KINDS, EVENT_STATUSES } from "../../domain/event.js";
import {
  parseEventFields,
  parseEventKey,
  parseEventValue,
  parseSourceName,
} from "../../domain/event-rules.js";
import { LIMITS } from "../../domain/limits.js";
import { count, externalId, instant, named, shaped, text } from "./parse.js";

const eventKey = named(parseEventKey);

/** One revision of a source's record. */
export const eventInput = z.strictObject({
  /** The system that holds the record. */
  source: named(parseSourceName),
  source_id: externalId,
  source_revision: z.int().min(0),
  kind: z.enum(EVENT_KINDS),
  key: eventKey,
  status: z.enum(EVENT_STATUSES).default("active"),
  /** May be left out where the record is withdrawn. */
  value: shaped(parseEventValue).optional(),
  unit: text(LIMITS.eventCharsMax).optional(),
  conditions: shaped(parseEventFields).optional(),
  code: text(LIMITS.eventCharsMax).optional(),
  effective_at: instant,
  /** Until when the source lets it be kept; without it, until it is forgotten. */
  expires_at: instant.optional(),
  /** Who said or showed it. */
  speaker: externalId.optional(),
  /** Who recorded it. */
  observer: externalId.optional(),
});
export type EventInput = z.output<typeof eventInput>;

export const recordEventsInput = z.strictObject({
  /** Parsed one by one, so that a bad one doesn't sink the batch. */
  events: z.array(z.unknown()).min(1).max(LIMITS.eventsPerRequestMax),
});

export const listEventsInput = z.strictObject({
  key: eventKey.optional(),
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});
