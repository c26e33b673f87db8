import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../domain/limits.js";
import { KeyCache } from "./cache.js";

interface TestKey {
  readonly n: number;
}

class Clock {
  ms = 1_000_000;
  now(): Date {
    return new Date(this.ms);
  }
}

const clock = new Clock();
let cache = new KeyCache<TestKey>(clock);
let loads = 0;

afterEach(() => {
  cache.close();
  cache = new KeyCache<TestKey>(clock);
  loads = 0;
});

async function found(): Promise<TestKey> {
  loads += 1;
  return { n: loads };
}

async function absent(): Promise<null> {
  loads += 1;
  return null;
}

/** A load that ends when the test says so. */
function held(): { load: () => Promise<TestKey | null>; end: (key: TestKey | null) => void } {
  let end: (key: TestKey | null) => void = () => undefined;
  const promise = new Promise<TestKey | null>((resolve) => {
    end = resolve;
  });
  return { load: () => promise, end: (key) => end(key) };
}

describe("key cache", () => {
  it("S5-08 a key is kept, and never longer than the limit", async () => {
    expect(await cache.get("a", found)).toEqual({ n: 1 });
    clock.ms += 50_000;
    expect(await cache.get("a", found)).toEqual({ n: 1 });
    clock.ms += LIMITS.keySecondsMax * 1_000 - 50_000;
    expect(await cache.get("a", found)).toEqual({ n: 2 });
  });

  it("S5-08 the age of a key counts from the start of its load", async () => {
    const slow = held();
    const reading = cache.get("a", slow.load);
    clock.ms += LIMITS.keySecondsMax * 1_000;
    slow.end({ n: 9 });
    await reading;
    expect(await cache.get("a", found)).toEqual({ n: 1 });
  });

  it("S5-08 a clock that was set back loads again", async () => {
    await cache.get("a", found);
    clock.ms -= 1;
    expect(await cache.get("a", found)).toEqual({ n: 2 });
  });

  it("S5-08 an absence is not kept", async () => {
    expect(await cache.get("a", absent)).toBeNull();
    expect(await cache.get("a", found)).toEqual({ n: 2 });
  });

  it("S2-29 readers at one time share one load", async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => cache.get("a", found)));
    expect(loads).toBe(1);
    expect(new Set(keys).size).toBe(1);
  });

  it("S2-29 a reader that came during a load which finds nothing looks for itself", async () => {
    const before = held();
    const first = cache.get("a", before.load);
    const second = cache.get("a", found);
    before.end(null);
    expect(await first).toBeNull();
    expect(await second).toEqual({ n: 1 });
  });

  it("S2-29 a load that failed is told to its readers and not kept", async () => {
    const failing = async (): Promise<null> => {
      throw new Error("down");
    };
    await expect(Promise.all([cache.get("a", failing), cache.get("a", failing)])).rejects.toThrow(
      "down",
    );
    expect(await cache.get("a", found)).toEqual({ n: 1 });
  });

  it("S5-08 what was forgotten is loaded again, also where its load had begun before", async () => {
    await cache.get("a", found);
    cache.forget("a");
    expect(await cache.get("a", found)).toEqual({ n: 2 });

    const before = held();
    const reading = cache.get("b", before.load);
    cache.forget("b");
    before.end({ n: 99 });
    await reading;
    expect(await cache.get("b", found)).toEqual({ n: 3 });
  });

  it("S2-29 no more keys are kept than the limit, the least used go first", async () => {
    for (let n = 0; n < LIMITS.cacheEntriesMax; n += 1) await cache.get(String(n), found);
    await cache.get("0", found);
    await cache.get("one more", found);
    loads = 0;
    await cache.get("0", found);
    expect(loads).toBe(0);
    await cache.get("1", found);
    expect(loads).toBe(1);
  });
});
