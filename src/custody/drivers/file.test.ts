import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checksumOf, logLine, NO_LINE } from "../chained-log.js";
import {
  custodyConformance,
  keyId,
  MASTER_A,
  type Opener,
  PLACE,
  subjectId,
  TestClock,
  tenantId,
} from "./conformance.js";
import { openFileCustody } from "./file.js";
import { fileVault } from "./file-vault.js";
import { parseKeyLog } from "./key-log.js";
import { ledgerConformance } from "./ledger-conformance.js";
import { openingConformance } from "./opening-conformance.js";
import { vaultConformance } from "./vault-conformance.js";

const root = await mkdtemp(join(tmpdir(), "muniment-custody-"));
afterAll(() => rm(root, { recursive: true }));

let made = 0;
async function freshDirectory(): Promise<string> {
  made += 1;
  return join(root, String(made));
}

function openerOf(dir: string): Opener {
  return ({ value = MASTER_A, expect = "new-or-existing", clock = new TestClock() } = {}) =>
    openFileCustody({ dir, masterKey: { value }, clock, expect });
}

custodyConformance("file", async () => openerOf(await freshDirectory()));
openingConformance("file", async () => openerOf(await freshDirectory()));
ledgerConformance("file", async () => openerOf(await freshDirectory()));
vaultConformance("file", async () => {
  const dir = await freshDirectory();
  return { vault: fileVault(dir), open: openerOf(dir) };
});

const T = tenantId(1);
const log = (dir: string): string => join(dir, "keys.log");

/** A custody with keys 1, 2 and 3, each in a line of its own. */
async function threeKeys(): Promise<{ dir: string; open: Opener; bytes: Buffer }> {
  const dir = await freshDirectory();
  const open = openerOf(dir);
  const keyring = await open();
  for (const n of [1, 2, 3]) await keyring.createSubjectKey(T, subjectId(n), keyId(n));
  await keyring.close();
  return { dir, open, bytes: await readFile(log(dir)) };
}

async function liveKeys(open: Opener): Promise<readonly number[]> {
  const keyring = await open({ expect: "existing" });
  const live: number[] = [];
  for (const n of [1, 2, 3, 4])
    if (await keyring.subjectKey(T, subjectId(n), keyId(n))) live.push(n);
  await keyring.close();
  return live;
}

describe("key log on the disk", () => {
  it("S2-29 an append torn at any byte is cut off, and the log goes on", async () => {
    const { dir, open, bytes } = await threeKeys();
    const lastLine = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
    for (let cut = lastLine; cut < bytes.length; cut += 7) {
      await writeFile(log(dir), bytes.subarray(0, cut));
      expect(await liveKeys(open)).toEqual([1, 2]);
      expect((await stat(log(dir))).size).toBe(lastLine);
      const keyring = await open();
      await keyring.createSubjectKey(T, subjectId(4), keyId(4));
      await keyring.close();
      expect(await liveKeys(open)).toEqual([1, 2, 4]);
    }
  });

  it("S2-29 an append whose bytes never reached the disk (zeros) is cut off", async () => {
    const { dir, open, bytes } = await threeKeys();
    const lastLine = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
    for (const [from, to] of [
      [lastLine, bytes.length],
      [lastLine, bytes.length - 1],
      [lastLine + 50, lastLine + 90],
    ]) {
      await writeFile(log(dir), Buffer.from(bytes).fill(0, from, to));
      expect(await liveKeys(open)).toEqual([1, 2]);
    }
  });

  it("S2-29 a damaged line refuses to open, wherever it stands, and changes nothing", async () => {
    const { dir, open, bytes } = await threeKeys();
    let start = 0;
    for (const line of [1, 2, 3, 4]) {
      const broken = Buffer.from(bytes);
      const at = start + 60;
      broken[at] = broken[at] === 0x61 ? 0x62 : 0x61;
      await writeFile(log(dir), broken);
      await expect(open()).rejects.toThrow(`line ${line} of the key log`);
      expect(await readFile(log(dir))).toEqual(broken);
      start = bytes.indexOf("\n", start) + 1;
    }
  });

  it("S5-08 the wrapped bytes of a destroyed key are in no file of the custody", async () => {
    const { dir, open, bytes } = await threeKeys();
    const wrapped = [...bytes.toString("utf8").matchAll(/"wrapped":"([^"]+)"/g)].map(
      ([, text]) => text ?? "",
    );
    expect(wrapped).toHaveLength(3);
    const keyring = await open();
    await keyring.destroySubjectKey(T, subjectId(2), keyId(2));
    for (const isClosed of [false, true]) {
      if (isClosed) await keyring.close();
      const files = await readdir(dir);
      const texts = await Promise.all(files.map((file) => readFile(join(dir, file), "utf8")));
      expect(wrapped.map((text) => texts.some((content) => content.includes(text)))).toEqual([
        true,
        false,
        true,
      ]);
    }
    expect(await liveKeys(open)).toEqual([1, 3]);
  });

  it("S5-08 a rewrite that a crash cut short leaves nothing behind", async () => {
    const { dir, open } = await threeKeys();
    await writeFile(`${log(dir)}.next`, "half of a rew");
    expect(await liveKeys(open)).toEqual([1, 2, 3]);
    expect(await readdir(dir)).toEqual(["keys.log", "ledger.log"]);
  });

  it("S5-08 a destruction that the disk refuses fails, and is done when it is asked again", async () => {
    const { dir, open } = await threeKeys();
    const keyring = await open();
    await mkdir(join(`${log(dir)}.next`, "in-the-way"), { recursive: true });
    const refused = { kind: "unavailable", message: "the key log can't be written" };
    await expect(keyring.destroySubjectKey(T, subjectId(2), keyId(2))).rejects.toMatchObject(
      refused,
    );
    await expect(keyring.createSubjectKey(T, subjectId(4), keyId(4))).rejects.toMatchObject(
      refused,
    );
    expect(await keyring.subjectKey(T, subjectId(2), keyId(2))).not.toBeNull();
    await rm(`${log(dir)}.next`, { recursive: true });
    await keyring.createSubjectKey(T, subjectId(4), keyId(4));
    await keyring.destroySubjectKey(T, subjectId(2), keyId(2));
    await keyring.close();
    expect(await liveKeys(open)).toEqual([1, 3, 4]);
  });

  it("S2-29 creations that wait together share a write, in bounded batches", async () => {
    const dir = await freshDirectory();
    const open = openerOf(dir);
    const keyring = await open();
    const ids = Array.from({ length: 600 }, (_, n) => n + 1);
    await Promise.all(ids.map((n) => keyring.createSubjectKey(T, subjectId(n), keyId(n))));
    await keyring.close();
    const lines = (await readFile(log(dir), "utf8")).trimEnd().split("\n");
    // The header, the first creation alone, then 256, 256 and 87 that came while it was written.
    expect(lines).toHaveLength(5);
  });

  it("S2-29 a second opening is refused while the first lasts", async () => {
    const { dir, open } = await threeKeys();
    const first = await open();
    await expect(open()).rejects.toThrow(`the custody \`${dir}\` is in use by another process`);
    await first.close();
    expect(await liveKeys(open)).toEqual([1, 2, 3]);
  });

  it.each(["missing", "empty"])(
    "S2-29 a %s log that is expected refuses, and neither it nor a master key is made",
    async (state) => {
      const dir = await freshDirectory();
      await mkdir(dir);
      if (state === "empty") await writeFile(log(dir), "");
      const before = await readdir(dir);
      const masterKey = { file: join(root, "never", "master.key") };
      const opening = openFileCustody({
        dir,
        masterKey,
        clock: new TestClock(),
        expect: "existing",
      });
      await expect(opening).rejects.toThrow(/is absent or empty.*restore it/);
      expect(await readdir(dir)).toEqual(before);
      await expect(stat(masterKey.file)).rejects.toThrow();
    },
  );

  it("S2-29 a line that was taken out, or put elsewhere, refuses to open", async () => {
    const { dir, open, bytes } = await threeKeys();
    const [header = "", one = "", two = "", three = ""] = bytes.toString().split(/(?<=\n)/);
    for (const lines of [
      [header, two, three],
      [header, one, three],
      [header, one, three, two],
      [header, one, two, two, three],
    ]) {
      await writeFile(log(dir), lines.join(""));
      await expect(open()).rejects.toThrow("of the key log");
    }
  });

  it("S2-29 the log and its directory are their owner's alone", async () => {
    const { dir } = await threeKeys();
    expect((await stat(log(dir))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  it("S2-29 a key moved to another subject's name in the log doesn't unwrap", async () => {
    const { dir, open, bytes } = await threeKeys();
    const content = parseKeyLog(bytes, log(dir));
    const [first] = content?.records ?? [];
    if (content === null || first === undefined) throw new Error("no records");
    const header = logLine(NO_LINE, content.header);
    const moved = logLine(checksumOf(header), [{ ...first, subject: subjectId(9) }]);
    await writeFile(log(dir), header + moved);
    const keyring = await open();
    await expect(keyring.subjectKey(T, subjectId(9), keyId(1))).rejects.toThrow(
      "doesn't open in its place",
    );
    await keyring.close();
  });
});

describe("sealed values across keys", () => {
  it("S5-03 what one subject's key sealed opens under no other key", async () => {
    const keyring = await openerOf(await freshDirectory())();
    const key = await keyring.createSubjectKey(T, subjectId(1), keyId(1));
    const tenantKey = await keyring.createTenantKey(T);
    const others = [
      await keyring.createSubjectKey(T, subjectId(2), keyId(1)),
      await keyring.createSubjectKey(tenantId(2), subjectId(1), keyId(1)),
      await keyring.createSubjectKey(T, subjectId(1), keyId(2)),
      tenantKey,
    ];
    const sealed = key.seal(PLACE, "secret");
    for (const other of others)
      expect(() => other.open(PLACE, sealed)).toThrow("doesn't open in its place");
    expect(() => key.open(PLACE, tenantKey.seal(PLACE, "secret"))).toThrow(
      "doesn't open in its place",
    );
    await keyring.close();
  });
});
