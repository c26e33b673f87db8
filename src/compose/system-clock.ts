import type { Clock } from "../domain/clock.js";

export const SYSTEM_CLOCK: Clock = { now: () => new Date() };
