import type { Pin } from "../domain/pin.js";
import type { TtlPolicy } from "../domain/trace.js";

/** The idle clock of a session's conversation, as it goes into the trace. */
export function sessionClock(pin: Pin, expiresAt: Date): TtlPolicy {
  return {
    clock: "session",
    hours: pin.route.memory_profile.ttl_hours,
    expires_at: expiresAt.toISOString(),
  };
}

/** The idle clock of a run's working memory and loop. */
export function runClock(pin: Pin, expiresAt: Date): TtlPolicy {
  return {
    clock: "run",
    hours: pin.route.memory_profile.ttl_hours,
    expires_at: expiresAt.toISOString(),
  };
}
