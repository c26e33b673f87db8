import { describe, expect, it } from "vitest";
import { trustedId } from "../../domain/ids.js";
import { type LedgerLine, NO_MARKS } from "../../domain/ledger.js";
import { LIMITS } from "../../domain/limits.js";
import { keyId, MASTER_A, type Opener, subjectId, tenantId } from "./conformance.js";

const T = tenantId(1);
const MAC = `${"A".repeat(43)}=`;

/** The intent of the `n`th erasure. */
export function ledgerLine(n: number): LedgerLine {
  return {
    step: "intent",
    erasureId: trustedId<"ErasureId">(subjectId(1_000 + n)),
    reason: "erase",
    basis: "data_subject_request",
    scope: "subject",
    target: subjectId(n),
    subject: subjectId(n),
    keyId: keyId(n),
    subjectMac: MAC,
    ...NO_MARKS,
    at: new Date(Date.UTC(2026, 2, 1, 0, 0, 0, n)),
  };
}

/** What every custody driver guarantees of its ledger. `fresh` gives the opener of a new, empty store. */
export function ledgerConformance(name: string, fresh: () => Promise<Opener>): void {
  describe(`ledger conformance, ${name}`, () => {
    linesLast(fresh);
    linesAreBounded(fresh);
    keysAreApart(fresh);
  });
}

function linesLast(fresh: () => Promise<Opener>): void {
  it("S5-08 lines are numbered from one for each tenant, and read the same after a restart", async () => {
    const open = await fresh();
    const first = await open();
    const narrow = {
      ...ledgerLine(2),
      keyId: null,
      itemMacs: [MAC, MAC],
      aheadMacs: [MAC],
      requests: [{ mac: MAC, until: new Date(1) }],
    };
    const appended = [
      ...(await first.ledger.append(T, [ledgerLine(1), narrow])),
      ...(await first.ledger.append(T, [ledgerLine(3)])),
    ];
    await first.ledger.append(tenantId(2), [ledgerLine(4)]);
    expect(appended.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(appended[1]).toMatchObject({ ...narrow, tenant: T });
    await first.close();
    const second = await open({ expect: "existing" });
    const { ledger } = second;
    expect(await ledger.read(T, 0, 10)).toEqual(appended);
    expect(await ledger.read(T, 1, 1)).toEqual(appended.slice(1, 2));
    expect(await ledger.read(T, 3, 10)).toEqual([]);
    expect(await ledger.head(T)).toEqual({ seq: 3, mac: appended[2]?.mac });
    expect(await ledger.tenants()).toEqual([T, tenantId(2)]);
    const [next] = await ledger.append(T, [ledgerLine(5)]);
    expect(next?.seq).toBe(4);
    await second.close();
  });

  it("S5-08 parallel appends take turns, each of them whole", async () => {
    const keyring = await (await fresh())();
    const appended = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        keyring.ledger.append(T, [ledgerLine(2 * n), ledgerLine(2 * n + 1)]),
      ),
    );
    for (const [one, two] of appended) expect(two?.seq).toBe((one?.seq ?? 0) + 1);
    const seqs = (await keyring.ledger.read(T, 0, 100)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    await keyring.close();
  });

  it("S5-09 an empty ledger has no head, and one that ends before a known line refuses", async () => {
    const keyring = await (await fresh())();
    expect(await keyring.ledger.head(T)).toEqual({ seq: 0, mac: "" });
    expect(await keyring.ledger.read(T, 0, 10)).toEqual([]);
    await expect(keyring.ledger.read(T, 1, 10)).rejects.toThrow(`tenant ${T} is broken at line 1`);
    await keyring.close();
  });
}

function linesAreBounded(fresh: () => Promise<Opener>): void {
  it("S5-08 nothing but ids, closed words and MACs gets into the ledger, and not without bound", async () => {
    const keyring = await (await fresh())();
    const { ledger } = keyring;
    const refused = { kind: "internal" };
    const line = ledgerLine(1);
    for (const wrong of [
      { ...line, subjectMac: "jane@example.org" },
      { ...line, target: "jane@example.org" },
      { ...line, itemMacs: ["she moved to Oslo"] },
      { ...line, aheadMacs: ["she moved to Oslo"] },
      { ...line, requests: [{ mac: "she moved to Oslo", until: new Date(1) }] },
      { ...line, itemMacs: Array.from({ length: LIMITS.ledgerMacsMax + 1 }, () => MAC) },
    ])
      await expect(ledger.append(T, [line, wrong])).rejects.toMatchObject(refused);
    await expect(ledger.append(T, [])).rejects.toMatchObject(refused);
    const many = Array.from({ length: LIMITS.ledgerLinesMax + 1 }, () => line);
    await expect(ledger.append(T, many)).rejects.toMatchObject(refused);
    expect(await ledger.head(T)).toEqual({ seq: 0, mac: "" });
    await keyring.close();
  });
}

function keysAreApart(fresh: () => Promise<Opener>): void {
  it("S5-08 a tenant's ledger key lasts, signs alike each time, and is nobody else's", async () => {
    const open = await fresh();
    const first = await open({ value: MASTER_A });
    const keys = await Promise.all([T, T, tenantId(2)].map((tenant) => first.ledger.key(tenant)));
    const macs = keys.map((key) => key.mac("subject", "jane@example.org"));
    expect(macs[0]).toBe(macs[1]);
    expect(macs[0]).not.toBe(macs[2]);
    expect(keys[0]?.mac("source", "jane@example.org")).not.toBe(macs[0]);
    const signature = keys[0]?.sign("a receipt");
    await first.close();
    const second = await open({ value: MASTER_A });
    const again = await second.ledger.key(T);
    expect([again.mac("subject", "jane@example.org"), again.sign("a receipt")]).toEqual([
      macs[0],
      signature,
    ]);
    await second.close();
    await expect(second.ledger.key(T)).rejects.toMatchObject({ kind: "unavailable" });
  });
}
