import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../domain/clock.js";
import { type KeyId, type SubjectId, type TenantId, trustedId } from "../../domain/ids.js";
import { IntegrityError, type Keyring, type Place } from "../../domain/keyring.js";
import { LIMITS } from "../../domain/limits.js";
import type { Expectation } from "../key-store.js";

export interface OpenOptions {
  readonly value?: string;
  readonly expect?: Expectation;
  readonly clock?: Clock;
}

/** Opens one and the same store each time it is called. */
export type Opener = (options?: OpenOptions) => Promise<Keyring>;

export const MASTER_A = "a".repeat(64);
export const MASTER_B = "b".repeat(64);

export class TestClock implements Clock {
  #at = Date.UTC(2026, 2, 1);
  now(): Date {
    return new Date(this.#at);
  }
  advance(seconds: number): void {
    this.#at += seconds * 1_000;
  }
}

function uuid(kind: number, n: number): string {
  return `00000000-0000-7000-800${kind}-${n.toString(16).padStart(12, "0")}`;
}
export const tenantId = (n: number): TenantId => trustedId<"TenantId">(uuid(1, n));
export const subjectId = (n: number): SubjectId => trustedId<"SubjectId">(uuid(2, n));
export const keyId = (n: number): KeyId => trustedId<"KeyId">(uuid(3, n));

export const PLACE: Place = {
  table: "turn",
  column: "sealed",
  row: uuid(4, 1),
  within: uuid(5, 1),
  version: 1,
};
const T = tenantId(1);
const S = subjectId(1);
const K = keyId(1);

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** What every custody driver guarantees of its keys. `fresh` gives the opener of a new, empty store. */
export function custodyConformance(name: string, fresh: () => Promise<Opener>): void {
  describe(`custody conformance, ${name}`, () => {
    keysLast(fresh);
    keysChange(fresh);
    keysAreDestroyed(fresh);
  });
}

function keysChange(fresh: () => Promise<Opener>): void {
  it("S2-29 a new data key seals after a restart too, and what the one before sealed opens until that is destroyed", async () => {
    const open = await fresh();
    const first = await open();
    const before = await first.createSubjectKey(T, S, K);
    const old = before.seal(PLACE, "old");
    const changed = await Promise.all(range(3).map(() => first.rotateSubjectKey(T, S, K)));
    expect(Math.max(...changed.map((key) => key?.version ?? 0))).toBe(4);
    await first.close();
    const second = await open({ expect: "existing" });
    const key = await second.subjectKey(T, S, K);
    expect([key?.version, key?.open(PLACE, old)]).toEqual([4, "old"]);
    await second.retireSubjectKey(T, S, K, 3);
    expect((await second.subjectKey(T, S, K))?.olderHeads).toHaveLength(1);
    await second.retireSubjectKey(T, S, K, 4);
    await second.retireSubjectKey(T, S, K, 4);
    const newest = await second.subjectKey(T, S, K);
    expect(newest?.open(PLACE, key?.seal(PLACE, "new") ?? old)).toBe("new");
    expect(() => newest?.open(PLACE, old)).toThrow(IntegrityError);
    expect(newest?.mac("p", "x")).toEqual(before.mac("p", "x"));
    await second.destroySubjectKey(T, S, K);
    expect(await second.rotateSubjectKey(T, S, K)).toBeNull();
    await second.retireSubjectKey(T, S, K, 4);
    await second.close();
  });
}

function keysLast(fresh: () => Promise<Opener>): void {
  it("S2-29 what a key sealed opens after a restart", async () => {
    const open = await fresh();
    const first = await open();
    const key = await first.createSubjectKey(T, S, K);
    const sealed = key.seal(PLACE, "héllo");
    const mac = key.mac("session", "s-1");
    await first.close();
    const second = await open({ expect: "existing" });
    const again = await second.subjectKey(T, S, K);
    expect(again?.open(PLACE, sealed)).toBe("héllo");
    expect(again?.mac("session", "s-1")).toEqual(mac);
    await second.close();
  });

  it("S2-29 a repeated creation finds the key of the first one", async () => {
    const open = await fresh();
    const first = await open();
    const sealed = (await first.createSubjectKey(T, S, K)).seal(PLACE, "once");
    await first.close();
    const second = await open();
    expect((await second.createSubjectKey(T, S, K)).open(PLACE, sealed)).toBe("once");
    await second.close();
  });

  it("S2-29 parallel creations of one id make one key, of many ids as many", async () => {
    const open = await fresh();
    const first = await open();
    const same = await Promise.all(range(20).map(() => first.createSubjectKey(T, S, K)));
    const many = await Promise.all(
      range(300).map((n) => first.createSubjectKey(T, subjectId(n + 1), keyId(n + 1))),
    );
    const macs = new Set(
      [...same, ...many].map((key) => Buffer.from(key.mac("p", "x")).toString("hex")),
    );
    expect(macs.size).toBe(301);
    await first.close();
    const second = await open();
    for (const key of many) {
      const again = await second.subjectKey(T, key.subject, key.keyId);
      expect(again?.mac("p", "x")).toEqual(key.mac("p", "x"));
    }
    await second.close();
  });

  it("S5-02 a key answers to its own tenant and subject alone", async () => {
    const open = await fresh();
    const keyring = await open();
    await keyring.createSubjectKey(T, S, K);
    expect(await keyring.subjectKey(tenantId(2), S, K)).toBeNull();
    expect(await keyring.subjectKey(T, subjectId(2), K)).toBeNull();
    expect(await keyring.subjectKey(T, S, keyId(2))).toBeNull();
    await keyring.close();
  });

  it("S5-02 parallel first uses of a tenant's key get one key, and other tenants get others", async () => {
    const open = await fresh();
    const first = await open();
    const keys = await Promise.all(range(20).map(() => first.createTenantKey(T)));
    const other = await first.createTenantKey(tenantId(2));
    const sealed = keys[0]?.seal(PLACE, "jane@example.org") ?? new Uint8Array();
    const mac = keys[0]?.mac("subject", "jane@example.org");
    await first.close();
    const second = await open();
    const again = await second.tenantKey(T);
    expect(again.mac("subject", "jane@example.org")).toEqual(mac);
    expect(again.open(PLACE, sealed)).toBe("jane@example.org");
    expect(other.mac("subject", "jane@example.org")).not.toEqual(mac);
    await second.close();
  });

  it("S5-02 a tenant whose key is missing gets no other one by being asked for", async () => {
    const open = await fresh();
    const keyring = await open();
    await expect(keyring.tenantKey(T)).rejects.toMatchObject({ kind: "unavailable" });
    await expect(keyring.tenantKey(T)).rejects.toThrow("lacks the key of a tenant");
    await keyring.createTenantKey(T);
    expect((await keyring.tenantKey(T)).tenant).toBe(T);
    await keyring.close();
  });
}

function keysAreDestroyed(fresh: () => Promise<Opener>): void {
  it("S5-08 a destroyed key is gone at once and after a restart, twice is once, and the others stay", async () => {
    const open = await fresh();
    const first = await open();
    await first.createSubjectKey(T, S, K);
    await first.createSubjectKey(T, subjectId(2), keyId(2));
    await first.destroySubjectKey(T, S, K);
    await first.destroySubjectKey(T, S, K);
    expect(await first.subjectKey(T, S, K)).toBeNull();
    await first.close();
    const second = await open();
    expect(await second.subjectKey(T, S, K)).toBeNull();
    expect(await second.subjectKey(T, subjectId(2), keyId(2))).not.toBeNull();
    await second.close();
  });

  it("S5-08 the id of a destroyed key is never used again, not even by a creation that comes late", async () => {
    const open = await fresh();
    const first = await open();
    await first.createSubjectKey(T, S, K);
    await first.destroySubjectKey(T, S, K);
    await first.destroySubjectKey(T, S, keyId(2));
    await expect(first.createSubjectKey(T, S, K)).rejects.toMatchObject({ kind: "internal" });
    await first.close();
    const second = await open();
    await expect(second.createSubjectKey(T, S, keyId(2))).rejects.toMatchObject({
      kind: "internal",
    });
    expect(await second.subjectKey(T, S, keyId(2))).toBeNull();
    await second.close();
  });

  it("S5-08 a key that is read while it is destroyed isn't kept", async () => {
    const open = await fresh();
    const clock = new TestClock();
    const keyring = await open({ clock });
    for (const n of range(20)) {
      await keyring.createSubjectKey(T, S, keyId(n));
      clock.advance(LIMITS.keySecondsMax);
      const reads = range(5).map(() => keyring.subjectKey(T, S, keyId(n)));
      await Promise.all([
        ...reads,
        keyring.destroySubjectKey(T, S, keyId(n)),
        keyring.subjectKey(T, S, keyId(n)),
      ]);
      expect(await keyring.subjectKey(T, S, keyId(n))).toBeNull();
    }
    await keyring.close();
  });

  it("S5-08 any order of creations, destructions and restarts leaves exactly the keys that live", async () => {
    const step = fc.record({
      act: fc.constantFrom("create", "destroy", "restart", "late"),
      n: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const open = await fresh();
        const clock = new TestClock();
        const macs = new Map<number, Uint8Array>();
        const ended = new Set<number>();
        let keyring = await open({ clock });
        for (const { act, n } of steps) {
          if (act === "late") clock.advance(LIMITS.keySecondsMax);
          if (act === "restart") {
            await keyring.close();
            keyring = await open({ clock, expect: "existing" });
          }
          if (act === "create" && !ended.has(n))
            macs.set(n, (await keyring.createSubjectKey(T, S, keyId(n))).mac("p", "x"));
          if (act === "destroy") {
            await keyring.destroySubjectKey(T, S, keyId(n));
            macs.delete(n);
            ended.add(n);
          }
          const found = await Promise.all(range(4).map((m) => keyring.subjectKey(T, S, keyId(m))));
          expect(found.map((key) => key?.mac("p", "x"))).toEqual(range(4).map((m) => macs.get(m)));
        }
        await keyring.close();
      }),
      { numRuns: 15 },
    );
  });
}
