import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Keyring } from "../domain/keyring.js";
import type { Vault } from "./content.js";
import { keyId, PLACE, subjectId, TestClock, tenantId } from "./drivers/conformance.js";
import { openFileCustody } from "./drivers/file.js";
import { fileVault } from "./drivers/file-vault.js";
import { nextKeyFile } from "./master-key-source.js";
import { rotateMaster } from "./rotate-master.js";

const root = await mkdtemp(join(tmpdir(), "muniment-rotate-"));
afterAll(() => rm(root, { recursive: true }));

const NAME = [tenantId(1), subjectId(1), keyId(1)] as const;
const AT = new Date("2026-03-01T09:00:00.123Z");
const BEFORE = "master.key.before-20260301T090000Z";

let made = 0;
async function custody() {
  made += 1;
  const dir = join(root, String(made));
  const file = join(dir, "master.key");
  const open = (): Promise<Keyring> =>
    openFileCustody({
      dir: join(dir, "custody"),
      masterKey: { file },
      clock: new TestClock(),
      expect: "new-or-existing",
    });
  const keyring = await open();
  const sealed = (await keyring.createSubjectKey(...NAME)).seal(PLACE, "kept");
  await keyring.close();
  const opens = async () => {
    const again = await open();
    expect((await again.subjectKey(...NAME))?.open(PLACE, sealed)).toBe("kept");
    await again.close();
  };
  return { dir, file, opens, vault: fileVault(join(dir, "custody")) };
}

/** Ends a rotation where a kill would, before or behind the change of the custody. */
function cutShort(vault: Vault, isBehind: boolean): Vault {
  return {
    ...vault,
    rewrap: async (rewrap) => {
      if (isBehind) await vault.rewrap(rewrap);
      throw new Error("killed");
    },
  };
}

describe("a new master key", () => {
  it("S2-29 opens all keys, and the one before is kept beside it under its own name", async () => {
    const { dir, file, opens, vault } = await custody();
    expect(await rotateMaster(vault, file, AT)).toEqual({
      keys: 1,
      file,
      before: join(dir, BEFORE),
    });
    await opens();
    expect((await readdir(dir)).sort()).toEqual(["custody", "master.key", BEFORE]);
    await rename(join(dir, BEFORE), file);
    await expect(opens()).rejects.toThrow("under another master key");
  });

  it.each([
    ["before the custody changes over", false],
    ["behind it", true],
  ])("S2-29 cut short %s, the custody opens, and the next call goes on", async (_, isBehind) => {
    const { dir, file, opens, vault } = await custody();
    await expect(rotateMaster(cutShort(vault, isBehind), file, AT)).rejects.toThrow("killed");
    expect((await readdir(dir)).sort()).toEqual(["custody", "master.key", "master.key.next"]);
    await opens();
    await rotateMaster(vault, file, AT);
    await opens();
    expect((await readdir(dir)).sort()).toEqual(["custody", "master.key", BEFORE]);
  });

  it("S2-29 cut short between its two renames, the custody opens, and the next call goes on", async () => {
    const { dir, file, opens, vault } = await custody();
    await rotateMaster(vault, file, AT);
    await rename(file, nextKeyFile(file));
    await opens();
    expect(await rotateMaster(vault, file, AT)).toMatchObject({ before: null });
    await opens();
    expect((await readdir(dir)).sort()).toEqual(["custody", "master.key", BEFORE]);
  });

  it("S2-29 isn't made while a service has the custody open, nor where there is none", async () => {
    const { dir, file, vault } = await custody();
    const keyring = await openFileCustody({
      dir: join(dir, "custody"),
      masterKey: { file },
      clock: new TestClock(),
      expect: "existing",
    });
    await expect(rotateMaster(vault, file, AT)).rejects.toThrow("in use by another process");
    await keyring.close();
    const none = join(root, "none.key");
    await expect(rotateMaster(fileVault(join(root, "none")), none, AT)).rejects.toThrow(
      "there is no custody yet",
    );
    expect(await readdir(root)).not.toContain("none.key");
  });
});
