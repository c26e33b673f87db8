import { describe, expect, it } from "vitest";
import { hoursAfter } from "./clock.js";
import { endOfObservation } from "./observation-end.js";

const SAID = new Date("2026-02-01T07:00:00Z");
const daysOn = (days: number) => hoursAfter(SAID, days * 24);

describe("the end of an observation", () => {
  it.each([
    ["its own clock", { evidence: 90, days: 30, danger: undefined }, 30],
    ["the evidence that it cites", { evidence: 20, days: 30, danger: undefined }, 20],
    ["the danger that it takes back", { evidence: 90, days: 30, danger: 60 }, 60],
    [
      "its own clock, beside a danger that ends before it",
      { evidence: 90, days: 30, danger: 10 },
      30,
    ],
    ["its evidence, whatever danger it takes back", { evidence: 40, days: 30, danger: 60 }, 40],
  ] as const)("S5-07 S4-29 is that of %s", (_, { evidence, days, danger }, ends) => {
    const clock = { saidAt: SAID, evidenceUntil: daysOn(evidence) };
    const dangerUntil = danger === undefined ? undefined : daysOn(danger);
    expect(endOfObservation(clock, days, dangerUntil)).toEqual(daysOn(ends));
  });
});
