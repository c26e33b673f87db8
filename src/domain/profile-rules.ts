import { MunimentError } from "./errors.js";
import type { MemoryProfile } from "./profile.js";

/** A memory profile from outside, strict. Absent gives the profile that keeps nothing; an omitted mode is `none`. */
export function parseMemoryProfile(_value: unknown, _field = "memory_profile"): MemoryProfile {
  throw new MunimentError("internal", "not there yet");
}

/** The one spelling of a profile, for its hash. */
export function profileText(_profile: MemoryProfile): string {
  throw new MunimentError("internal", "not there yet");
}
