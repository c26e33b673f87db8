import { beforeEach, describe, expect, it, vi } from "vitest";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { IndexOwner, IndexVersion } from "./index-cache.js";
import { IndexCache } from "./index-cache.js";
import { SubjectIndex } from "./subject-index.js";

const BANK = trustedId<"TenantId">("bank");
const CLINIC = trustedId<"TenantId">("clinic");
const JANE = trustedId<"SubjectId">("jane");
const TOM = trustedId<"SubjectId">("tom");
const VERSION: IndexVersion = { keyId: trustedId<"KeyId">("k1"), purgeRevision: 3 };

const owner = (tenant: typeof BANK, subject: typeof JANE): IndexOwner => ({
  tenant,
  subject,
  kind: "turn",
});

function indexOf(turns: number): SubjectIndex {
  const index = new SubjectIndex();
  for (let n = 0; n < turns; n += 1) {
    index.add({
      id: trustedId<"TurnId">(`t${n}`),
      sessionId: trustedId<"SessionId">("s"),
      seq: n,
      workspaceId: trustedId<"WorkspaceId">("w"),
      routeId: trustedId<"RouteId">("r"),
      speakerId: null,
      observedAt: new Date(0),
      evidenceUntil: new Date(1),
      terms: { list: [`word${n}`], counts: [1], length: 1, said: 1 },
    });
  }
  return index;
}

let now = 0;
const clock = { now: () => new Date(now) };
beforeEach(() => {
  now = Date.UTC(2026, 2, 1);
});

describe("index cache", () => {
  it("S5-02 gives an index to its own tenant and subject alone", () => {
    const cache = new IndexCache(clock);
    const index = indexOf(1);
    cache.put(owner(BANK, JANE), VERSION, index);
    expect(cache.get(owner(BANK, JANE), VERSION)).toBe(index);
    expect(cache.get(owner(CLINIC, JANE), VERSION)).toBeNull();
    expect(cache.get(owner(BANK, TOM), VERSION)).toBeNull();
  });

  it.each([
    ["purge revision", { ...VERSION, purgeRevision: 4 }],
    ["key", { ...VERSION, keyId: trustedId<"KeyId">("k2") }],
  ])("S5-08 drops an index whose %s has moved on", (_, moved) => {
    const cache = new IndexCache(clock);
    cache.put(owner(BANK, JANE), VERSION, indexOf(1));
    expect(cache.get(owner(BANK, JANE), moved)).toBeNull();
    expect(cache.stats()).toMatchObject({ entries: 0, bytes: 0, purged: 1 });
    expect(cache.get(owner(BANK, JANE), VERSION)).toBeNull();
  });

  it("S5-02 a look without the version counts as no use and reaches its own subject alone", () => {
    const cache = new IndexCache(clock);
    const index = indexOf(1);
    cache.put(owner(BANK, JANE), VERSION, index);
    expect(cache.peek(owner(BANK, JANE))?.index).toBe(index);
    expect(cache.peek(owner(CLINIC, JANE))).toBeNull();
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 0 });
    now += LIMITS.indexIdleSeconds * 1_000 + 1;
    expect(cache.peek(owner(BANK, JANE))).toBeNull();
  });

  it("S5-08 an index dropped by hand is gone", () => {
    const cache = new IndexCache(clock);
    cache.put(owner(BANK, JANE), VERSION, indexOf(1));
    cache.drop(BANK, JANE);
    expect(cache.get(owner(BANK, JANE), VERSION)).toBeNull();
  });

  it("S4-11 holds no more bytes than allowed: the least recently used goes first, one too big is never kept", () => {
    const size = indexOf(10).bytes;
    const cache = new IndexCache(clock, size * 2);
    cache.put(owner(BANK, JANE), VERSION, indexOf(10));
    cache.put(owner(BANK, TOM), VERSION, indexOf(10));
    cache.get(owner(BANK, JANE), VERSION);
    cache.put(owner(CLINIC, JANE), VERSION, indexOf(10));
    expect(cache.get(owner(BANK, TOM), VERSION)).toBeNull();
    expect(cache.get(owner(BANK, JANE), VERSION)).not.toBeNull();
    cache.put(owner(CLINIC, TOM), VERSION, indexOf(1_000));
    expect(cache.get(owner(CLINIC, TOM), VERSION)).toBeNull();
    expect(cache.stats().bytes).toBeLessThanOrEqual(size * 2);
  });

  it("S4-11 counts an index that grew at its new size when it is put again", () => {
    const cache = new IndexCache(clock);
    const index = indexOf(1);
    cache.put(owner(BANK, JANE), VERSION, index);
    const before = cache.stats().bytes;
    index.add({
      id: trustedId<"TurnId">("later"),
      sessionId: trustedId<"SessionId">("s"),
      seq: 2,
      workspaceId: trustedId<"WorkspaceId">("w"),
      routeId: trustedId<"RouteId">("r"),
      speakerId: null,
      observedAt: new Date(0),
      evidenceUntil: new Date(1),
      terms: { list: ["later"], counts: [1], length: 1, said: 1 },
    });
    cache.put(owner(BANK, JANE), VERSION, index);
    expect(cache.stats()).toMatchObject({ entries: 1, bytes: index.bytes });
    expect(index.bytes).toBeGreaterThan(before);
  });

  it("S5-08 an index that nobody uses leaves memory after its idle time", () => {
    const cache = new IndexCache(clock);
    cache.put(owner(BANK, JANE), VERSION, indexOf(1));
    now += LIMITS.indexIdleSeconds * 1_000;
    expect(cache.get(owner(BANK, JANE), VERSION)).not.toBeNull();
    now += LIMITS.indexIdleSeconds * 1_000 + 1;
    cache.get(owner(BANK, TOM), VERSION);
    expect(cache.stats().entries).toBe(0);
  });

  it("S5-08 it leaves memory also where nobody asks for an index again", () => {
    vi.useFakeTimers();
    try {
      const cache = new IndexCache({ now: () => new Date() });
      cache.put(owner(BANK, JANE), VERSION, indexOf(1));
      vi.advanceTimersByTime(LIMITS.indexIdleSeconds * 1_000 + 1);
      expect(cache.stats().entries).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("S4-11 many who come to a cold subject at once wait for one filling, others' for their own", async () => {
    const cache = new IndexCache(clock);
    const asked: string[] = [];
    const fill = (who: string) => async () => {
      asked.push(who);
      const index = indexOf(1);
      cache.putFilled(owner(BANK, JANE), VERSION, index);
      return index;
    };
    const [first, second, other] = await Promise.all([
      cache.filling(owner(BANK, JANE), fill("first")),
      cache.filling(owner(BANK, JANE), fill("second")),
      cache.filling(owner(CLINIC, JANE), fill("other")),
    ]);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    expect(asked).toEqual(["first", "other"]);
    await cache.filling(owner(BANK, JANE), fill("later"));
    expect(asked).toEqual(["first", "other", "later"]);
  });

  it("S4-12 a filling that fails fails for who began it alone: the next of those who wait does it", async () => {
    const cache = new IndexCache(clock);
    const fail = () => Promise.reject(new Error("the connection is gone"));
    const index = indexOf(1);
    const ends = await Promise.allSettled([
      cache.filling(owner(BANK, JANE), fail),
      cache.filling(owner(BANK, JANE), async () => index),
      cache.filling(owner(BANK, JANE), fail),
    ]);
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : null))).toEqual([
      null,
      index,
      index,
    ]);
  });

  it("S4-11 tells what made room, what nobody used and what was filled", () => {
    const cache = new IndexCache(clock, indexOf(10).bytes);
    cache.putFilled(owner(BANK, JANE), VERSION, indexOf(10));
    cache.putFilled(owner(BANK, TOM), VERSION, indexOf(10));
    expect(cache.stats()).toMatchObject({ entries: 1, filled: 2, evicted: 1, expired: 0 });
    now += LIMITS.indexIdleSeconds * 1_000 + 1;
    cache.get(owner(BANK, TOM), VERSION);
    expect(cache.stats()).toMatchObject({ entries: 0, evicted: 1, expired: 1, misses: 1 });
  });
});
