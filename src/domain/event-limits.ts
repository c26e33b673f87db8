/** Bounds of what connectors say and of what is made of it; part of `LIMITS`. */
export const EVENT_LIMITS = {
  /** Events of one request: a page of a source's records. */
  eventsPerRequestMax: 100,
  /** Events of one subject in one workspace, history included: beyond it a device's stream belongs into a system of its own. */
  eventsOfSubjectMax: 20_000,
  /** Characters of one text of an event. */
  eventCharsMax: 1_000,
  /** Values that one event holds together. */
  eventFieldsMax: 16,
  /** Hours that an event may be effective ahead of our clock: dates begin elsewhere, clocks differ. */
  eventAheadHours: 24,
} as const;
