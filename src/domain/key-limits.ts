/** Bounds of data keys: part of `LIMITS`. */
export const KEY_LIMITS = {
  /** Seconds that an unwrapped key stays in memory. */
  keySecondsMax: 60,
  /** Hours after which a key that somebody has taken seals nothing more: less than an older version is kept. */
  keySealHoursMax: 12,
  /** Data keys of one subject that are kept at once: the one that seals, and those whose rows or backups are still about. */
  keyVersionsMax: 8,
  /** Days that a data key is kept after another took its place, where the operator says nothing: for backups of before. */
  keyKeepDays: 30,
  /** Rows of one table that are sealed anew in one transaction. */
  resealRowsMax: 200,
  /** Such transactions of one request, and of one background step for one subject. */
  resealBatchesMax: 100,
} as const;
