import { describe, expect, it } from "vitest";
import { intervalOf } from "./times.js";
import { timingOf } from "./timing.js";

/** A Sunday. */
const NOW = new Date("2026-03-15T09:00:00Z");

describe("times of a question", () => {
  it.each([
    ["what did I say last May", "2025-05-01", "2025-06-01"],
    ["what happened in January?", "2026-01-01", "2026-02-01"],
    ["the trip in December", "2025-12-01", "2026-01-01"],
    ["in May 2023", "2023-05-01", "2023-06-01"],
    ["what did she paint on October 13, 2023?", "2023-10-13", "2023-10-15"],
    ["what did we talk about yesterday", "2026-03-14", "2026-03-16"],
    ["who called two weeks ago", "2026-02-26", "2026-03-06"],
    ["three months ago", "2025-12-01", "2026-01-01"],
    ["last year", "2025-01-01", "2026-01-01"],
    ["where did I live in 2019?", "2019-01-01", "2020-01-01"],
  ])("S4-11 reads a time, as exact as the words are: %s", (question, from, until) => {
    const interval = intervalOf(question, null, NOW);
    expect(interval?.from.toISOString().slice(0, 10)).toBe(from);
    expect(interval?.until.toISOString().slice(0, 10)).toBe(until);
  });

  it.each([
    ["was war vor zwei Wochen", "de"],
    ["qu'ai-je dit il y a deux semaines", "fr"],
    ["что было на прошлой неделе", "ru"],
  ] as const)("S4-11 reads it in other languages too: %s", (question, language) => {
    const interval = intervalOf(question, language, NOW);
    expect(interval?.from.getTime()).toBeGreaterThan(Date.parse("2026-02-20T00:00:00Z"));
    expect(interval?.until.getTime()).toBeLessThan(Date.parse("2026-03-14T00:00:00Z"));
  });

  it.each([
    "order 4471-0093",
    "call +351 912 000 001",
    "take 12.5 mg",
    "E1042",
    "A-1009",
    "DE89 3704 0044 0532 0130 00",
    "which floor is my office",
    "May said hi",
    "",
  ])("S4-11 takes no number of a person and no name for a time: %s", (question) => {
    expect(intervalOf(question, null, NOW)).toBeNull();
  });

  it.each([
    ["where did I work before the move to Porto?", { side: "before", words: "move to Porto" }],
    ["what changed after my operation", { side: "after", words: "operation" }],
    ["where was my office before?", null],
  ])("S4-11 knows that a question asks about the time around an event: %s", (question, event) => {
    expect(timingOf(question, [], null, NOW).event).toEqual(event);
  });
});
