import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Keyring } from "../../domain/keyring.js";
import { checksumOf, logLine, NO_LINE } from "../chained-log.js";
import { keyId, MASTER_A, PLACE, subjectId, TestClock, tenantId } from "./conformance.js";
import { openFileCustody } from "./file.js";
import { keyLogLines, parseKeyLog } from "./key-log.js";
import { ledgerLine } from "./ledger-conformance.js";

const root = await mkdtemp(join(tmpdir(), "muniment-ledger-"));
afterAll(() => rm(root, { recursive: true }));

const T = tenantId(1);
const ledgerOf = (dir: string): string => join(dir, "ledger.log");
const open = (dir: string): Promise<Keyring> =>
  openFileCustody({
    dir,
    masterKey: { value: MASTER_A },
    clock: new TestClock(),
    expect: "new-or-existing",
  });

let made = 0;
/** A ledger of three lines, each appended by itself. */
async function threeLines(): Promise<{ dir: string; bytes: Buffer; lines: readonly string[] }> {
  made += 1;
  const dir = join(root, String(made));
  const keyring = await open(dir);
  for (const n of [1, 2, 3]) await keyring.ledger.append(T, [ledgerLine(n)]);
  await keyring.close();
  const bytes = await readFile(ledgerOf(dir));
  return { dir, bytes, lines: bytes.toString("utf8").split(/(?<=\n)/) };
}

async function seqsIn(dir: string): Promise<readonly number[]> {
  const keyring = await open(dir);
  try {
    return (await keyring.ledger.read(T, 0, 10)).map(({ seq }) => seq);
  } finally {
    await keyring.close();
  }
}

/** The ledger with checksums that fit, as somebody would write it who knows how. */
function rechained(lines: readonly string[]): string {
  const out: string[] = [];
  for (const line of lines)
    out.push(logLine(checksumOf(out.at(-1) ?? NO_LINE), JSON.parse(line.slice(33))));
  return out.join("");
}

describe("ledger on the disk", () => {
  it("S5-08 an append torn anywhere is cut off, and the ledger goes on", async () => {
    const { dir, bytes } = await threeLines();
    const lastLine = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
    for (let cut = lastLine; cut < bytes.length; cut += 41) {
      await writeFile(ledgerOf(dir), bytes.subarray(0, cut));
      const keyring = await open(dir);
      expect(await keyring.ledger.append(T, [ledgerLine(4)])).toMatchObject([{ seq: 3 }]);
      await keyring.close();
      expect(await seqsIn(dir)).toEqual([1, 2, 3]);
    }
  });

  it("S5-09 a line that was edited, taken out or moved refuses to open", async () => {
    const { dir, lines } = await threeLines();
    const [header = "", one = "", two = "", three = ""] = lines;
    for (const changed of [
      [header, two, three],
      [header, one, three],
      [header, one, three, two],
      [header, one.replace("intent", "closed"), two, three],
    ]) {
      await writeFile(ledgerOf(dir), changed.join(""));
      await expect(open(dir)).rejects.toThrow(/line \d of the ledger .* restore the custody/);
    }
  });

  it("S5-09 a change with fitting checksums is read as broken, with its tenant's id", async () => {
    const { dir, lines } = await threeLines();
    const [header = "", one = "", two = "", three = ""] = lines;
    for (const [changed, seq] of [
      [[header, one, three], 2],
      [[header, one, two.replace("data_subject_request", "clean_up"), three], 2],
      [[header, two, one, three], 1],
    ] as const) {
      await writeFile(ledgerOf(dir), rechained(changed));
      await expect(seqsIn(dir)).rejects.toThrow(
        `the erasure ledger of tenant ${T} is broken at line ${seq}`,
      );
    }
  });

  it("S5-09 a custody that has lost its ledger refuses, and gets no new one", async () => {
    const { dir } = await threeLines();
    for (const lose of [() => rm(ledgerOf(dir)), () => writeFile(ledgerOf(dir), "")]) {
      await lose();
      await expect(open(dir)).rejects.toThrow(/ledger.log` is absent or empty.*restore it/);
    }
  });

  it("S5-09 a ledger whose keys are lost refuses, and gets no new custody", async () => {
    const { dir, bytes } = await threeLines();
    await rm(join(dir, "keys.log"));
    await expect(open(dir)).rejects.toThrow("is absent or empty");
    expect(await readFile(ledgerOf(dir))).toEqual(bytes);
  });

  it("S5-09 a custody of before the ledger gets an empty one, keeps its keys, and remembers that it has one", async () => {
    const { dir } = await threeLines();
    const keys = join(dir, "keys.log");
    const before = await open(dir);
    const sealed = (await before.createSubjectKey(T, subjectId(1), keyId(1))).seal(PLACE, "kept");
    await before.close();
    const log = parseKeyLog(await readFile(keys), keys);
    if (log === null) throw new Error("no keys");
    const own = log.records.filter(({ subject }) => subject !== "ledger");
    await writeFile(keys, keyLogLines({ ...log.header, format: 2 }, own).join(""));
    await rm(ledgerOf(dir));
    const keyring = await open(dir);
    expect(await keyring.ledger.tenants()).toEqual([]);
    expect((await keyring.subjectKey(T, subjectId(1), keyId(1)))?.open(PLACE, sealed)).toBe("kept");
    await keyring.close();
    await rm(ledgerOf(dir));
    await expect(open(dir)).rejects.toThrow("restore it from a backup");
  });

  it("S5-08 lines whose key is missing refuse, and no new key is made for them", async () => {
    const { dir } = await threeLines();
    const keys = join(dir, "keys.log");
    const log = parseKeyLog(await readFile(keys), keys);
    if (log === null) throw new Error("no keys");
    await writeFile(keys, keyLogLines(log.header, []).join(""));
    const keyring = await open(dir);
    await expect(keyring.ledger.append(T, [ledgerLine(4)])).rejects.toThrow(
      `lacks the ledger key of tenant ${T}`,
    );
    await expect(keyring.ledger.read(T, 0, 10)).rejects.toThrow("lacks the ledger key");
    await keyring.close();
  });

  it("S5-08 the ledger is its owner's alone", async () => {
    const { dir } = await threeLines();
    expect((await stat(ledgerOf(dir))).mode & 0o777).toBe(0o600);
  });
});
