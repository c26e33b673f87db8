import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { IntegrityError, type Place, StaleKeyError, type SubjectKey } from "../domain/keyring.js";
import { subjectKeyOf, tenantKeyOf } from "./cipher.js";
import { ringSince, ringWithNext } from "./key-ring.js";

const DATA = randomBytes(32);
const PLACE: Place = { table: "turn", column: "sealed", row: "r1", within: "s1", version: 1 };

function keyOf({
  tenant = "t1",
  subject = "s1",
  keyId = "k1",
  data = DATA as Uint8Array,
} = {}): SubjectKey {
  return subjectKeyOf(
    trustedId<"TenantId">(tenant),
    trustedId<"SubjectId">(subject),
    trustedId<"KeyId">(keyId),
    data,
  );
}

const key = keyOf();
const tenantKey = tenantKeyOf(trustedId<"TenantId">("t1"), DATA);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const place = fc.record({
  table: fc.string({ maxLength: 4 }),
  column: fc.string({ maxLength: 4 }),
  row: fc.string({ maxLength: 4 }),
  within: fc.string({ maxLength: 4 }),
  version: fc.integer({ min: 1, max: 3 }),
});
// Characters that an encoding could take for its own joints.
const jointed = fc.string({
  unit: fc.constantFrom('"', ",", "\\", "[", ":", "/", "a"),
  maxLength: 3,
});
const jointedPlace = fc.record({
  table: jointed,
  column: jointed,
  row: jointed,
  within: jointed,
  version: fc.constant(1),
});

describe("sealing", () => {
  it("S2-29 any well-formed text opens where it was sealed, by each of the keys", () => {
    fc.assert(
      fc.property(place, fc.string({ unit: "grapheme" }), (at, text) => {
        expect(key.open(at, key.seal(at, text))).toBe(text);
        expect(key.openTerms(at, key.sealTerms(at, text))).toBe(text);
        expect(tenantKey.open(at, tenantKey.seal(at, text))).toBe(text);
      }),
    );
  });

  it("S2-29 a sealed value is format 1, nonce 12, text, tag 16, and shows neither the text nor its twin", () => {
    const [one, two] = [key.seal(PLACE, "fee of 35 dollars"), key.seal(PLACE, "fee of 35 dollars")];
    expect(one).toHaveLength(1 + 12 + 17 + 16);
    expect(one[0]).toBe(1);
    expect(hex(one.subarray(1, 13))).not.toBe(hex(two.subarray(1, 13)));
    expect(hex(one.subarray(13, 30))).not.toBe(hex(two.subarray(13, 30)));
    expect(Buffer.from(one).includes("fee")).toBe(false);
  });

  it("S2-29 text with half of a surrogate pair is refused: it wouldn't come back as it was", () => {
    expect(() => key.seal(PLACE, "a\ud800")).toThrow("assertion failed");
    expect(() => key.sealTerms(PLACE, "\udc00")).toThrow("assertion failed");
  });

  it.each<[string, Partial<Place>]>([
    ["table", { table: "note" }],
    ["column", { column: "terms" }],
    ["row", { row: "r2" }],
    ["session or run", { within: "s2" }],
    ["no session or run", { within: "" }],
    ["version", { version: 2 }],
  ])("S5-03 a value moved to another %s doesn't open", (_, moved) => {
    const at = { ...PLACE, ...moved };
    expect(() => key.open(at, key.seal(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => key.openTerms(at, key.sealTerms(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => tenantKey.open(at, tenantKey.seal(PLACE, "x"))).toThrow(IntegrityError);
  });

  // The same data key under another name: only the associated data differs.
  it.each([
    ["tenant", keyOf({ tenant: "t2" })],
    ["subject", keyOf({ subject: "s2" })],
    ["key id", keyOf({ keyId: "k2" })],
    ["data key", keyOf({ data: randomBytes(32) })],
  ])("S5-03 a value moved to another %s doesn't open", (_, other) => {
    expect(() => other.open(PLACE, key.seal(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => other.openTerms(PLACE, key.sealTerms(PLACE, "x"))).toThrow(IntegrityError);
  });

  it("S5-03 content, terms and a tenant's values don't open as each other", () => {
    expect(() => key.openTerms(PLACE, key.seal(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => key.open(PLACE, key.sealTerms(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => key.open(PLACE, tenantKey.seal(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => tenantKey.open(PLACE, key.seal(PLACE, "x"))).toThrow(IntegrityError);
  });

  it("S5-03 two places open each other's values only where they are the same place", () => {
    fc.assert(
      fc.property(fc.oneof(place, jointedPlace), fc.oneof(place, jointedPlace), (one, two) => {
        const isSame = (Object.keys(one) as (keyof Place)[]).every(
          (part) => one[part] === two[part],
        );
        const sealed = key.seal(one, "x");
        if (isSame) expect(key.open(two, sealed)).toBe("x");
        else expect(() => key.open(two, sealed)).toThrow(IntegrityError);
      }),
      { numRuns: 500 },
    );
  });

  it("S5-03 a value with any bit changed, cut or lengthened doesn't open, and the error tells where, not what", () => {
    const sealed = key.seal(PLACE, "secret");
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => key.open(PLACE, changed)).toThrow(IntegrityError);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => key.open(PLACE, sealed.subarray(0, length))).toThrow(IntegrityError);
    }
    expect(() => key.open(PLACE, Buffer.concat([sealed, Buffer.from([0])]))).toThrow(
      "sealed value of turn.sealed doesn't open in its place",
    );
  });

  it("S2-29 a plain Uint8Array, as databases return it, opens", () => {
    expect(key.open(PLACE, Uint8Array.from(key.seal(PLACE, "x")))).toBe("x");
  });
});

describe("a ring of data keys", () => {
  const ring = ringWithNext(DATA) ?? Buffer.of();
  const newer = keyOf({ data: ring });
  const newest = keyOf({ data: ringSince(ring, 2) });

  it("S2-29 the newest key seals and says so in the value, and the ones before it open what they sealed", () => {
    const [old, sealed] = [key.seal(PLACE, "x"), newer.seal(PLACE, "x")];
    expect([newer.version, hex(sealed.subarray(0, 5))]).toEqual([2, "0200000002"]);
    expect(newer.olderHeads.map(hex)).toEqual(["01"]);
    for (const value of [old, sealed]) expect(newer.open(PLACE, value)).toBe("x");
    expect(newer.openTerms(PLACE, key.sealTerms(PLACE, "x"))).toBe("x");
    const index = key.sealIndex(PLACE, Buffer.from("x"));
    expect(Buffer.from(newer.openIndex(PLACE, index)).toString()).toBe("x");
  });

  it("S2-29 without the older key what it sealed doesn't open; a key that is too old itself says that it is", () => {
    expect(newest.open(PLACE, newer.seal(PLACE, "x"))).toBe("x");
    expect(() => newest.open(PLACE, key.seal(PLACE, "x"))).toThrow(IntegrityError);
    expect(() => key.open(PLACE, newer.seal(PLACE, "x"))).toThrow(StaleKeyError);
    expect(newest.olderHeads).toEqual([]);
  });

  it("S5-03 a version that nobody ever made is a broken value, once custody was asked for it or where it can't be", () => {
    const asked = subjectKeyOf(key.tenant, key.subject, key.keyId, DATA, {
      isTooOld: () => false,
      met: new Set([3]),
    });
    const forged = (version: number) => {
      const sealed = Buffer.concat([Buffer.of(2, 0, 0, 0, 0), key.seal(PLACE, "x").subarray(1)]);
      sealed.writeUInt32BE(version, 1);
      return sealed;
    };
    expect(() => asked.open(PLACE, forged(3))).toThrow(IntegrityError);
    expect(() => asked.open(PLACE, forged(4))).toThrow(StaleKeyError);
    expect(() => asked.open(PLACE, forged(0xffffffff))).toThrow(IntegrityError);
  });

  it("S5-03 a value that is said to be of another version doesn't open", () => {
    const third = keyOf({ data: ringWithNext(ring) ?? Buffer.of() });
    const sealed = third.seal(PLACE, "x");
    sealed[4] = 2;
    expect(() => third.open(PLACE, sealed)).toThrow(IntegrityError);
  });

  it("S5-02 the look-up key stays: what is found by it is found under every key", () => {
    const macs = [key, newer, newest].map((one) => hex(one.mac("session", "a")));
    expect(new Set(macs).size).toBe(1);
  });

  it("S2-29 a ring holds eight keys, and a key that somebody has kept for too long seals nothing", () => {
    let full: Uint8Array | null = DATA;
    for (let n = 1; n < 8; n++) full = ringWithNext(full ?? Buffer.of());
    expect(keyOf({ data: full ?? Buffer.of() }).version).toBe(8);
    expect(ringWithNext(full ?? Buffer.of())).toBe(null);
    const old = subjectKeyOf(key.tenant, key.subject, key.keyId, DATA, {
      isTooOld: () => true,
      met: new Set(),
    });
    expect(() => old.seal(PLACE, "x")).toThrow(StaleKeyError);
    expect(old.open(PLACE, key.seal(PLACE, "x"))).toBe("x");
  });
});

describe("look-up", () => {
  it("S5-02 a MAC is 32 bytes, the same for the same key, purpose and text, and otherwise another", () => {
    const mac = key.mac("session", "a");
    expect(mac).toHaveLength(32);
    expect(hex(keyOf().mac("session", "a"))).toBe(hex(mac));
    const others = [
      key.mac("speaker", "a"),
      key.mac("session", "b"),
      key.mac("sessio", "na"),
      tenantKey.mac("session", "a"),
      keyOf({ data: randomBytes(32) }).mac("session", "a"),
    ].map(hex);
    expect(new Set([hex(mac), ...others]).size).toBe(6);
  });
});
