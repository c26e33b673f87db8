import { hoursAfter } from "../domain/clock.js";
import type { Pin } from "../domain/pin.js";
import type { TtlPolicy } from "../domain/trace.js";

/** When the run's and its session's idle clocks end after something was done now. */
export function idleEnd(pin: Pin, now: Date): Date {
  return hoursAfter(now, pin.route.memory_profile.ttl_hours);
}

/** The idle clock of a session's conversation, as it goes into the trace. */
export function sessionClock(pin: Pin, expiresAt: Date | null): TtlPolicy {
  return {
    clock: "session",
    hours: pin.route.memory_profile.ttl_hours,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** Evidence has a clock of its own that nothing moves: from the moment at which a turn was recorded. */
export function evidenceClock(days: number, expiresAt: Date | null): TtlPolicy {
  return { clock: "evidence", hours: days * 24, expires_at: expiresAt?.toISOString() ?? null };
}

/** An episode has one clock, from the moment at which it was recorded. */
export function episodeClock(days: number): TtlPolicy {
  return { clock: "episode", hours: days * 24, expires_at: null };
}

/** An observation has one too, and ends no later than a turn that it cites. */
export function observationClock(days: number): TtlPolicy {
  return { clock: "observation", hours: days * 24, expires_at: null };
}

/** The idle clock of a run's working memory and loop. */
export function runClock(pin: Pin, expiresAt: Date): TtlPolicy {
  return {
    clock: "run",
    hours: pin.route.memory_profile.ttl_hours,
    expires_at: expiresAt.toISOString(),
  };
}
