import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeDirectory } from "./make-directory.js";

describe("a data directory", () => {
  const dir = mkdtempSync(join(tmpdir(), "muniment-make-"));
  afterAll(() => rmSync(dir, { recursive: true }));

  it("is made with what is missing above it, for its owner alone, and twice is once", () => {
    const path = join(dir, "a", "b");
    makeDirectory(path);
    makeDirectory(path);
    for (const part of [path, join(dir, "a")]) expect(statSync(part).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["a file", "file", "isn't a directory"],
    ["below a file", "file/below/it", "isn't a directory"],
  ])("%s is refused with the next step", (_, name, why) => {
    writeFileSync(join(dir, "file"), "");
    expect(() => makeDirectory(join(dir, name))).toThrow(
      expect.objectContaining({ kind: "invalid_input", message: expect.stringContaining(why) }),
    );
  });

  it.runIf(process.platform === "linux")(
    "in a special file system is refused, and that ends",
    () => {
      for (const path of ["/proc/muniment", "/proc/muniment/data"])
        expect(() => makeDirectory(path)).toThrow(/takes no directory/);
    },
  );
});
