/** Bounds of the queue of jobs: part of `LIMITS`. */
export const WORK_LIMITS = {
  /** Jobs of a tenant that one sweep looks at, whether the queue has lost them. */
  workLostMax: 10_000,
  /** Days that the row of a finished job stays. */
  workDoneDays: 7,
  /** How often a job is tried before it is parked. */
  workAttemptsMax: 5,
  /** Seconds after which a job looks again that waits, for each one before it: the end of one calls the next before that. */
  workBehindSeconds: 60,
  /** Seconds after which a job asks again for tokens that questions under way have set aside. */
  workReservedSeconds: 60,
  /** Minutes after which it asks again where the day's are spent, should it not be over before: somebody may have raised the bound. */
  workSpentMinutes: 60,
  /** Minutes that a job has for itself: then another worker may take it. Shorter than the queue's own patience. */
  workLeaseMinutes: 10,
  /** Jobs that one process works on at once: those that wait for a model's answer aren't among them. */
  workConcurrency: 4,
  /** Jobs that it holds at once, those that wait included: each holds what it asks in memory. */
  workHeldMax: 32,
  /** Of them those of one tenant, waiting or not: its backlog leaves room for the others. */
  workPerTenantMax: 3,
  /** Minutes in which a tenant that a model didn't answer has one job at a time. */
  workUnansweredMinutes: 10,
  /** Milliseconds between two looks into a queue that had nothing to take. */
  workPollMs: 2_000,
  /** Seconds between two times at which what vanished workers hold is handed out again. */
  workTidySeconds: 60,
  /** Tenants of which a process remembers in which order their jobs had their turn. */
  workTurnsMax: 1_000,
} as const;
