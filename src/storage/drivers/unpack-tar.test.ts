import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unpackTar } from "./unpack-tar.js";

function entry(name: string, text: string, type = "0", prefix = ""): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(text.length.toString(8).padStart(11, "0"), 124);
  header.write(type, 156);
  header.write(prefix, 345);
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body]);
}

describe("unpackTar", () => {
  let dir = "";

  const unpack = (...entries: readonly Buffer[]): Promise<void> =>
    unpackTar(gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])), join(dir, "out"));

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "muniment-tar-"));
  });

  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("makes files and folders, empty ones too, that the owner alone can read", async () => {
    await unpack(
      entry("/empty", "", "5"),
      entry("/base/1/112", "x".repeat(513)),
      entry("zero", ""),
      entry("112", "y", "0", "long/prefix"),
    );
    expect(readFileSync(join(dir, "out/base/1/112"), "utf8")).toBe("x".repeat(513));
    expect(readFileSync(join(dir, "out/zero"), "utf8")).toBe("");
    expect(readFileSync(join(dir, "out/long/prefix/112"), "utf8")).toBe("y");
    expect(statSync(join(dir, "out/empty")).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, "out/zero")).mode & 0o777).toBe(0o600);
  });

  it.each(["../out-of-it", "/a/../../out-of-it"])("refuses the path %s", async (name) => {
    await expect(unpack(entry(name, "x"))).rejects.toThrow("leads out");
  });
});
