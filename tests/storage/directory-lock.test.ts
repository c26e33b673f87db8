import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryHeldError, lockDirectory } from "../../src/storage/drivers/directory-lock.js";
import { type Child, runChild } from "../setup/child-process.js";
import { temporaryDirectory } from "../setup/databases.js";

const HOLDER = join(import.meta.dirname, "lock-holder.ts");

// By socket where the platform has abstract ones, by record alone elsewhere: both ways run here.
const WAYS: readonly NodeJS.Platform[] =
  process.platform === "linux" ? ["linux", "darwin"] : ["darwin"];

describe.each(WAYS)("lock of the data directory (%s)", (platform) => {
  const children: Child[] = [];
  let dir = "";

  async function hold(url = "", manner = "wait"): Promise<Child> {
    const child = runChild(HOLDER, [dir, platform, url, manner]);
    children.push(child);
    expect(await child.nextLine()).toBe("held");
    return child;
  }

  async function kill(child: Child): Promise<void> {
    child.process.kill("SIGKILL");
    await child.exit;
  }

  beforeEach(async () => {
    // Longer than the name of a socket may be.
    dir = join(await temporaryDirectory(), "d".repeat(120));
  });

  afterEach(async () => {
    await Promise.all(children.splice(0).map(kill));
  });

  it("a second process is refused, with the pid and the URL of the first", async () => {
    const holder = await hold("http://127.0.0.1:7700");
    const refusal = await lockDirectory(dir, platform).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DirectoryHeldError);
    expect(refusal).toMatchObject({ pid: holder.process.pid, url: "http://127.0.0.1:7700" });
    expect(String(refusal)).toContain(
      `process ${holder.process.pid}, which serves http://127.0.0.1:7700`,
    );
  });

  it("a holder whose event loop is blocked still holds", async () => {
    const holder = await hold("http://127.0.0.1:7700", "block");
    const refusal = await lockDirectory(dir, platform).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ pid: holder.process.pid, url: "http://127.0.0.1:7700" });
  });

  it("after kill -9 of the holder the next start works, again and again", async () => {
    for (let round = 0; round < 3; round += 1) await kill(await hold("http://127.0.0.1:7700"));
    const lock = await lockDirectory(dir, platform);
    await lock.release();
  });

  it("one of many that start at once holds, after a crash too", async () => {
    for (let round = 0; round < 2; round += 1) {
      const started = Array.from({ length: 4 }, () => runChild(HOLDER, [dir, platform]));
      children.push(...started);
      const said = await Promise.all(started.map((child) => child.nextLine()));
      expect(said.filter((line) => line === "held")).toHaveLength(1);
      await Promise.all(started.map(kill));
    }
  });

  it("the same directory under another name is the same directory", async () => {
    mkdirSync(dir, { recursive: true });
    const alias = `${dir.slice(0, -1)}-alias`;
    symlinkSync(dir, alias);
    const lock = await lockDirectory(dir, platform);
    await expect(lockDirectory(alias, platform)).rejects.toThrow(DirectoryHeldError);
    await lock.release();
  });

  it("a released directory is free, and nothing of the lock is left in it", async () => {
    const first = await lockDirectory(dir, platform);
    await first.release();
    expect(existsSync(join(dir, "lock.json"))).toBe(false);
    expect(existsSync(join(dir, "lock.sock"))).toBe(false);
    const second = await lockDirectory(dir, platform);
    await second.release();
  });
});

describe("lock by record alone", () => {
  it.each([
    ["a record that can't be read", "{"],
    [
      "a live process without a start time",
      JSON.stringify({ pid: process.pid, startTime: null, bootId: null }),
    ],
  ])("%s is unclear, so it refuses", async (_name, text) => {
    const dir = await temporaryDirectory();
    writeFileSync(join(dir, "lock.json"), text);
    await expect(lockDirectory(dir, "darwin")).rejects.toThrow(DirectoryHeldError);
  });

  it.each([
    [
      "a pid that is another process's now",
      { pid: process.pid, startTime: "another", bootId: null },
    ],
    ["a machine that was started again", { pid: process.pid, startTime: null, bootId: "another" }],
  ])("%s doesn't hold", async (_name, record) => {
    const dir = await temporaryDirectory();
    writeFileSync(join(dir, "lock.json"), JSON.stringify(record));
    const lock = await lockDirectory(dir, "darwin");
    await lock.release();
  });
});
