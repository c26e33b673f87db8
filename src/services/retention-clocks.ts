import { hoursAfter } from "../domain/clock.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Retention } from "../domain/retention.js";
import { ANALYSER_VERSION } from "../recall/terms.js";
import {
  deleteDoneWork,
  deleteExpiredEpisodes,
  deleteExpiredObservations,
  deleteExpiredTraces,
  rollUpTraces,
} from "../storage/queries/episodic-expire.js";
import { deleteExpiredEvents } from "../storage/queries/event-expire.js";
import {
  clearExpiredGoals,
  deleteExpiredCheckpoints,
  deleteExpiredPacks,
  deleteExpiredReplies,
  deleteExpiredTurns,
  deleteExpiredWorking,
  type Sweep,
  type Swept,
} from "../storage/queries/expired-delete.js";
import { deleteStaleSegments } from "../storage/queries/segment-delete.js";
import {
  deleteExpiredCandidates,
  deleteExpiredFieldValues,
} from "../storage/queries/store-expire.js";
import { deleteExpiredTombstones } from "../storage/queries/tombstone-expire.js";
import { deleteOutlivedModels } from "../storage/queries/view-delete.js";
import type { Statement } from "../storage/sql.js";

/** Every clock, by what it ends. */
export type SweptKind =
  | "working"
  | "checkpoints"
  | "turns"
  | "goals"
  | "replies"
  | "tombstones"
  | "packs"
  | "segments"
  | "candidates"
  | "session_keys"
  | "events"
  | "episodes"
  | "observations"
  | "models"
  | "traces"
  | "prompts"
  | "work";

/** Rows that were due so many hours before, the grace for late writes included. */
export function oldBy(now: Date, hours: number): Sweep {
  const until = new Date(hoursAfter(now, -hours).getTime() - LIMITS.sweepGraceMs);
  return { until, limit: LIMITS.sweepRowsMax };
}

/** What a sweep of one tenant removes, each by a statement of its own. */
export function clocksOf(
  permit: Permit<"sweep">,
  { packDays }: Retention,
): Readonly<Record<SweptKind, Statement<Swept>>> {
  const { now } = permit.scope;
  const expired = oldBy(now, 0);
  const days = (count: number) => oldBy(now, count * 24);
  return {
    working: deleteExpiredWorking(permit, expired),
    checkpoints: deleteExpiredCheckpoints(permit, expired),
    turns: deleteExpiredTurns(permit, expired),
    goals: clearExpiredGoals(permit, expired),
    replies: deleteExpiredReplies(permit, expired),
    tombstones: deleteExpiredTombstones(permit, expired),
    packs: deleteExpiredPacks(permit, days(packDays)),
    segments: deleteStaleSegments(permit, expired, {
      analyser: ANALYSER_VERSION,
      until: days(LIMITS.supersededDays).until,
    }),
    candidates: deleteExpiredCandidates(permit, expired),
    session_keys: deleteExpiredFieldValues(permit, expired),
    events: deleteExpiredEvents(permit, expired),
    episodes: deleteExpiredEpisodes(permit, expired),
    observations: deleteExpiredObservations(permit, expired),
    models: deleteOutlivedModels(permit, expired),
    traces: deleteExpiredTraces(permit, expired),
    prompts: rollUpTraces(permit, oldBy(now, LIMITS.tracePromptHours)),
    work: deleteDoneWork(permit, days(LIMITS.workDoneDays)),
  };
}
