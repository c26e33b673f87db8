import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdDirectory, holdFile } from "./exclusive.js";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "muniment-hold-"));
});
afterEach(() => rm(dir, { recursive: true }));

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe.each([
  ["of this platform", holdDirectory],
  ["by a file with the pid", holdFile],
])("a hold %s", (_, hold) => {
  it("S2-29 is had by one of many that ask at once, and by the next after it", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => hold(dir)));
    const held = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(held).toHaveLength(1);
    await expect(hold(dir)).rejects.toThrow(`the custody \`${dir}\` is in use by another process`);
    await held[0]?.value();
    await (await hold(dir))();
    expect(await readdir(dir)).toEqual([]);
  });
});

describe("a hold by a file with the pid", () => {
  it("S2-29 of a dead process is taken over, by one of many that ask at once", async () => {
    await writeFile(join(dir, "lock"), String(deadPid()));
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => holdFile(dir)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(dir)).toEqual(["lock"]);
  });

  it.each(["", "x", "-1", "0", "1.5"])(
    "S2-29 that is unclear (`%s`) is refused, with what to delete",
    async (text) => {
      await writeFile(join(dir, "lock"), text);
      await expect(holdFile(dir)).rejects.toThrow(`delete \`${join(dir, "lock")}\``);
      expect(await readdir(dir)).toEqual(["lock"]);
    },
  );
});
