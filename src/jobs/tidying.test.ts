import { expect, it } from "vitest";
import { LIMITS } from "../domain/limits.js";
import { Tidying } from "./tidying.js";

it("S2-24 a queue is tidied at once and then by the clock, also by one that was set back, and a fault waits for the next time", async () => {
  let seconds = 1_000_000;
  let tidied = 0;
  const queue = {
    tidy: async () => {
      tidied += 1;
      if (tidied === 1) throw new Error("the queue is away");
    },
  };
  const tidying = new Tidying(queue, { now: () => new Date(seconds * 1_000) });
  await expect(tidying.whenDue()).rejects.toThrow("away");
  await tidying.whenDue();
  expect(tidied).toBe(1);
  seconds += LIMITS.workTidySeconds;
  await tidying.whenDue();
  await tidying.whenDue();
  expect(tidied).toBe(2);
  seconds -= 3_600;
  await tidying.whenDue();
  expect(tidied).toBe(3);
});
