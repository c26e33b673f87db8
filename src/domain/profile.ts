/** What a run may keep and read. Pinned whole at the route decision; nothing else switches memory on or off. */
export interface MemoryProfile {
  readonly conversation: "none" | "session";
  readonly working: "none" | "session";
  readonly loop: "none" | "checkpoint";
  readonly long_term: "none" | "retrieve_only";
  /** Idle lifetime of conversation, working and loop, in hours. */
  readonly ttl_hours: number;
  readonly isolation: readonly IsolationKey[];
}

export const ISOLATION_KEYS = ["tenant", "user", "session"] as const;
export type IsolationKey = (typeof ISOLATION_KEYS)[number];

/** A route without a profile keeps nothing. */
export const EMPTY_PROFILE: MemoryProfile = Object.freeze({
  conversation: "none",
  working: "none",
  loop: "none",
  long_term: "none",
  ttl_hours: 1,
  isolation: Object.freeze(["tenant", "user", "session"] as const),
});

export function keepsSessionData(profile: MemoryProfile): boolean {
  return (
    profile.conversation === "session" ||
    profile.working === "session" ||
    profile.loop === "checkpoint"
  );
}

/** A route that reads no long-term memory leaves none either; one that keeps nothing has nothing to leave. */
export function remembers(profile: MemoryProfile): boolean {
  return profile.long_term === "retrieve_only" && keepsSessionData(profile);
}
