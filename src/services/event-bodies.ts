import type { EventFields, EventKind, EventStatus, EventValue } from "../domain/event.js";
import type { PageQuery } from "./bodies.js";

// Bodies and queries of the operations on events. The schemas in `inputs/event.ts` parse them.

/** One revision of a source's record. */
export interface EventEntry {
  /** The system that holds the record, such as `ehr`. */
  readonly source: string;
  /** The record's own id there. */
  readonly source_id: string;
  /** A later revision of the record replaces the earlier ones; the same one again adds nothing. */
  readonly source_revision: number;
  readonly kind: EventKind;
  /** What it is about, such as `allergy`. */
  readonly key: string;
  /** `active` where nothing is said. */
  readonly status?: EventStatus;
  /** May be left out where the record is withdrawn. */
  readonly value?: EventValue;
  readonly unit?: string;
  readonly conditions?: EventFields;
  readonly code?: string;
  /** From when on it is so, with its zone. */
  readonly effective_at: string;
  readonly expires_at?: string;
  /** Who said or showed it. */
  readonly speaker?: string;
  /** Who recorded it. */
  readonly observer?: string;
}

export interface RecordEventsBody {
  readonly events: readonly EventEntry[];
}

export interface EventsQuery extends PageQuery {
  readonly key?: string;
}
