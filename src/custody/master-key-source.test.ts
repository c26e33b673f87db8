import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { MasterKey } from "./master-key.js";
import { loadMasterKey } from "./master-key-source.js";

const root = await mkdtemp(join(tmpdir(), "muniment-master-"));
afterAll(() => rm(root, { recursive: true }));

let made = 0;
const freshFile = (): string => join(root, String(++made), "master.key");
const spelled = async (text: string): Promise<string> => {
  const file = join(root, `file-${++made}`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
};
const checkOf = (master: MasterKey): string => Buffer.from(master.checkValue("c")).toString("hex");

describe("master key", () => {
  it("S2-29 is made on first use in a file of its owner alone, and read again", async () => {
    const file = freshFile();
    const first = await loadMasterKey({ file }, true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(file, ".."))).toEqual(["master.key"]);
    expect(checkOf(await loadMasterKey({ file }, false))).toBe(checkOf(first));
    expect(checkOf(await loadMasterKey({ file }, true))).toBe(checkOf(first));
  });

  it("S2-29 that many make at once is one key", async () => {
    const file = freshFile();
    const keys = await Promise.all(Array.from({ length: 10 }, () => loadMasterKey({ file }, true)));
    expect(new Set(keys.map(checkOf)).size).toBe(1);
    expect(await readdir(join(file, ".."))).toEqual(["master.key"]);
  });

  it("S2-29 is never made beside an existing custody", async () => {
    const file = freshFile();
    await expect(loadMasterKey({ file }, false)).rejects.toThrow(/is missing.*restore the file/);
    await expect(stat(file)).rejects.toThrow();
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o666])(
    "S2-29 in a file of mode %o is refused and told how to mend it",
    async (mode) => {
      const file = await spelled("a".repeat(64));
      await chmod(file, mode);
      await expect(loadMasterKey({ file }, true)).rejects.toThrow(
        /is open to other users: run `chmod 600`/,
      );
    },
  );

  it("S2-29 is the same key as hex, base64 and base64url, as a file or a value", async () => {
    const bytes = Buffer.concat([Buffer.from([0xfb, 0xff, 0xfe]), randomBytes(29)]);
    const texts = [
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      `\n ${bytes.toString("base64")}\r\n`,
    ];
    const keys: MasterKey[] = [];
    for (const text of texts) {
      keys.push(
        await loadMasterKey({ value: text }, false),
        await loadMasterKey({ file: await spelled(text) }, false),
      );
    }
    expect(new Set(keys.map(checkOf)).size).toBe(1);
  });

  it.each([
    "",
    "short",
    "a".repeat(63),
    "a".repeat(65),
    "g".repeat(64),
    "é".repeat(43),
    `${"a".repeat(32)}\n${"a".repeat(32)}`,
  ])("S2-29 that isn't 32 bytes is refused without being shown (%#)", async (value) => {
    const file = await spelled(value);
    const opening = [loadMasterKey({ value }, true), loadMasterKey({ file }, true)];
    for (const outcome of await Promise.allSettled(opening)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { kind: "unavailable" } });
      const message = outcome.status === "rejected" ? String(outcome.reason) : "";
      expect(message).toContain("isn't 32 bytes as hex or base64");
      if (value !== "") expect(message).not.toContain(value);
    }
  });

  it("S2-29 is given once: neither or both is refused", async () => {
    await expect(loadMasterKey({}, true)).rejects.toThrow("no master key is configured");
    await expect(loadMasterKey({ file: freshFile(), value: "a".repeat(64) }, true)).rejects.toThrow(
      "configured twice",
    );
  });

  it("S2-29 in a file that isn't one is refused", async () => {
    await expect(loadMasterKey({ file: root }, true)).rejects.toMatchObject({
      kind: "unavailable",
    });
    await expect(
      loadMasterKey({ file: join(await spelled("x"), "below") }, true),
    ).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("S2-29 differs from one installation to the next", async () => {
    const [one, two] = [freshFile(), freshFile()];
    await loadMasterKey({ file: one }, true);
    await loadMasterKey({ file: two }, true);
    expect(await readFile(one, "utf8")).not.toBe(await readFile(two, "utf8"));
  });
});
