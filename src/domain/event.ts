import type { EventId } from "./ids.js";

/** How a source came by what it says: it was measured, somebody told it, or a system concluded it. */
export const EVENT_KINDS = ["measurement", "report", "inference"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * `active`: it holds from its effective time on. `ended`: it held, and does so no more. `withdrawn`: the source takes its
 * record back; nobody should have relied on it.
 */
export const EVENT_STATUSES = ["active", "ended", "withdrawn"] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export type EventScalar = string | number | boolean;
export type EventFields = Readonly<Record<string, EventScalar>>;
/** One value, or several that belong together, such as a medication's name and dose. */
export type EventValue = EventScalar | EventFields;

/** What is sealed of an event. */
export interface EventBody {
  /** The system that it comes from. */
  readonly source: string;
  /** What it is about: `allergy`, `weight`. */
  readonly key: string;
  readonly status: EventStatus;
  /** Null only where the record was withdrawn. */
  readonly value: EventValue | null;
  readonly unit: string | null;
  /** Under which it was taken: another condition makes another value of it. */
  readonly conditions: EventFields | null;
  /** In the source's own vocabulary. */
  readonly code: string | null;
}

/** An event as rules see it. */
export interface EventFact extends EventBody {
  readonly eventId: EventId;
  /** The source's record, by our id of it: its revisions share it. */
  readonly recordId: string;
  readonly sourceRevision: number;
  readonly kind: EventKind;
  readonly effectiveAt: Date;
  readonly expiresAt: Date | null;
}
