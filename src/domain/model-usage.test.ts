import { expect, it } from "vitest";
import { secondsToNextDay, usageDay } from "./model-usage.js";

it.each([
  ["2026-03-01T00:00:00.000Z", "2026-03-01", 86_400],
  ["2026-03-01T23:59:00.000Z", "2026-03-01", 60],
  ["2026-02-28T23:59:59.999Z", "2026-02-28", 1],
  ["2026-12-31T12:00:00.500Z", "2026-12-31", 43_200],
])("S4-04 at %s a question is paid from %s, which ends in %s seconds", (now, day, seconds) => {
  expect([usageDay(new Date(now)), secondsToNextDay(new Date(now))]).toEqual([day, seconds]);
});
