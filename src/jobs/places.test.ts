import { describe, expect, it } from "vitest";
import { LIMITS } from "../domain/limits.js";
import { type Place, Places } from "./places.js";
import { Unanswered } from "./unanswered.js";

const never = new Promise<void>(() => undefined);

describe("places of jobs", () => {
  let minutes = 0;
  const clock = { now: () => new Date(minutes * 60_000) };
  const opened = (unanswered = new Unanswered(clock)) => {
    const places = new Places(unanswered);
    const give = (tenant: string, work: (place: Place) => Promise<void> = () => never) =>
      places.give(tenant, work);
    return { places, give };
  };
  const away = (place: Place) => place.whileAway(() => never);

  it("S2-24 jobs that work fill a process, those that wait for an answer don't, and all of them have a bound", () => {
    const { places, give } = opened();
    for (let job = 1; job < LIMITS.workHeldMax; job += 1) give(`t${job}`, away);
    expect(places.isFull).toBe(false);
    for (let job = 1; job < LIMITS.workConcurrency; job += 1) expect(places.isFull).toBe(false);
    give("last", away);
    expect(places.isFull).toBe(true);

    const other = opened();
    for (let job = 0; job < LIMITS.workConcurrency; job += 1) other.give(`t${job}`);
    expect(other.places.isFull).toBe(true);
  });

  it("S2-24 a tenant has some places, one where a model didn't answer it lately, and all again after a while", () => {
    const unanswered = new Unanswered(clock);
    const { places, give } = opened(unanswered);
    for (const _ of Array.from({ length: LIMITS.workPerTenantMax - 1 })) give("slow", away);
    expect(places.fullTenants()).toEqual([]);
    unanswered.note("slow");
    expect(places.fullTenants()).toEqual(["slow"]);
    minutes += LIMITS.workUnansweredMinutes;
    expect(places.fullTenants()).toEqual([]);
    give("slow");
    expect(places.fullTenants()).toEqual(["slow"]);
  });

  it("S2-24 whoever waits for a free place goes on as soon as a job begins to wait for an answer", async () => {
    const { places, give } = opened();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    for (let job = 1; job < LIMITS.workConcurrency; job += 1) give(`t${job}`);
    give("last", async (place) => {
      await begun;
      await away(place);
    });
    expect(places.isFull).toBe(true);
    const change = places.change();
    begin();
    await change;
    expect(places.isFull).toBe(false);
  });
});
