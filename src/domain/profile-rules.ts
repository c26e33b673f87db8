import { fieldPath, invalid, parseFields, parseList, parseOneOf } from "./fields.js";
import { LIMITS } from "./limits.js";
import {
  EMPTY_PROFILE,
  ISOLATION_KEYS,
  type IsolationKey,
  keepsSessionData,
  type MemoryProfile,
} from "./profile.js";

const PROFILE_KEYS = [
  "conversation",
  "working",
  "loop",
  "long_term",
  "ttl_hours",
  "isolation",
] as const;

/** A memory profile from outside, strict. Absent gives the profile that keeps nothing; an omitted mode is `none`. */
export function parseMemoryProfile(
  value: unknown,
  field = "memory_profile",
  refuseKey?: (key: string, path: string) => void,
): MemoryProfile {
  if (value === undefined) return EMPTY_PROFILE;
  const given = parseFields(value, field, PROFILE_KEYS, refuseKey);
  const mode = <Mode extends string>(
    key: (typeof PROFILE_KEYS)[number],
    modes: readonly ["none", Mode],
  ): "none" | Mode =>
    given[key] === undefined ? "none" : parseOneOf(given[key], fieldPath(field, key), modes);
  const modes = {
    conversation: mode("conversation", ["none", "session"]),
    working: mode("working", ["none", "session"]),
    loop: mode("loop", ["none", "checkpoint"]),
    long_term: mode("long_term", ["none", "retrieve_only"]),
  };
  const keepsNothing = !keepsSessionData({ ...EMPTY_PROFILE, ...modes });
  const strictest = keepsNothing && modes.long_term === "none" ? EMPTY_PROFILE.isolation : [];
  const profile = {
    ...modes,
    ttl_hours: parseTtl(given.ttl_hours, fieldPath(field, "ttl_hours"), keepsNothing),
    isolation:
      given.isolation === undefined
        ? strictest
        : parseIsolation(given.isolation, fieldPath(field, "isolation")),
  };
  requireIsolation(profile, fieldPath(field, "isolation"));
  return Object.freeze(profile);
}

/** The one spelling of a profile, for its hash. */
export function profileText(profile: MemoryProfile): string {
  const { conversation, working, loop, long_term, ttl_hours } = profile;
  return JSON.stringify({
    conversation,
    working,
    loop,
    long_term,
    ttl_hours,
    isolation: inOrder(profile.isolation),
  });
}

function parseTtl(value: unknown, field: string, keepsNothing: boolean): number {
  if (value === undefined && keepsNothing) return EMPTY_PROFILE.ttl_hours;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw invalid(field, "must be a whole number of hours, 1 or more");
  }
  if (value > LIMITS.ttlHoursMax) throw invalid(field, `is above ${LIMITS.ttlHoursMax} hours`);
  return value;
}

function parseIsolation(value: unknown, field: string): readonly IsolationKey[] {
  return inOrder(
    parseList(value, field, ISOLATION_KEYS.length, (item, at) =>
      parseOneOf(item, at, ISOLATION_KEYS),
    ),
  );
}

/** What is kept for one person is never reachable with less than that person's keys. */
function requireIsolation(profile: MemoryProfile, field: string): void {
  const needed: readonly IsolationKey[] = keepsSessionData(profile)
    ? ISOLATION_KEYS
    : profile.long_term === "none"
      ? []
      : ["tenant", "user"];
  const missing = needed.filter((key) => !profile.isolation.includes(key));
  if (missing.length > 0)
    throw invalid(field, `lacks ${missing.join(", ")}, which the profile's memory needs`);
}

function inOrder(keys: readonly IsolationKey[]): readonly IsolationKey[] {
  return Object.freeze(ISOLATION_KEYS.filter((key) => keys.includes(key)));
}
