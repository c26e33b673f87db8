/** Bounds of what connectors say and of what is made of it; part of `LIMITS`. */
export const EVENT_LIMITS = {
  /** Events of one request: a page of a source's records. */
  eventsPerRequestMax: 100,
  /** Records of one subject in one workspace: a view opens the newest of each. A device's stream has a place of its own. */
  recordsOfSubjectMax: 5_000,
  /** Characters of one text of an event. */
  eventCharsMax: 1_000,
  /** Values that one event holds together. */
  eventFieldsMax: 16,
  /** Hours that an event may be effective ahead of our clock: dates begin elsewhere, clocks differ. */
  eventAheadHours: 24,
  /** Lists of one projection. */
  projectionSectionsMax: 16,
  /** Items of one list that may be truncated: a pack shows no more. */
  projectionItemsMax: 200,
  /** Values of one key that the fold shows beside the current one. */
  foldOthersMax: 8,
} as const;
