import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf } from "./stored-files.js";

describe("files of a data directory", () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "muniment-files-"));
    for (const folder of ["issuers", "db", "exports"]) await mkdir(join(dir, folder));
    for (const file of [
      "issuers/run.jwk",
      "issuers/note",
      "master.key",
      "exports/other.jwk",
      "master.key.before-1",
      "top",
      "top.next",
      ".env",
    ])
      await writeFile(join(dir, file), "the quokka's key");
    for (const file of ["db/1", "exports/jane.jsonl"]) await writeFile(join(dir, file), "a quokka");
  });

  afterAll(() => rm(dir, { recursive: true }));

  it("S5-02 keys are nobody's to search, and all else is told by place", async () => {
    const files = filesOf(dir, [join(dir, "top")]);
    expect(await files.search(["quokka"], "everywhere")).toEqual([
      { name: "files.database", found: 1 },
      { name: "files.custody", found: 0 },
      { name: "files.other", found: 1 },
    ]);
    expect(await files.search(["the quokka's key"], "beside")).toEqual([
      { name: "files.other", found: 0 },
    ]);
  });
});
