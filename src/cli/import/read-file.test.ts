import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readExport } from "../migrate/read-export.js";
import { readTranscript } from "./read-file.js";

describe("transcript files", () => {
  const dir = mkdtempSync(join(tmpdir(), "muniment-read-"));
  afterAll(() => rmSync(dir, { recursive: true }));

  /** Latin-1: what stands above ASCII is no UTF-8. */
  function write(name: string, text: string, encoding: BufferEncoding = "utf8"): string {
    writeFileSync(join(dir, name), text, encoding);
    return join(dir, name);
  }
  async function all<T>(given: AsyncIterable<T>): Promise<readonly T[]> {
    const seen: T[] = [];
    for await (const one of given) seen.push(one);
    return seen;
  }
  const read = (file: string) => {
    const given = { format: "auto", subject: null, session: "s", observedAt: null } as const;
    return all(readTranscript({ file, ...given }));
  };

  it("S5-14 a line that isn't UTF-8 is refused as such, and its neighbours come in", async () => {
    const lines = ['{"text":"first"}', '{"text":"caf\u00e9"}', '{"text":"third"}'].join("\r\n");
    const seen = await read(write("turns.jsonl", lines, "latin1"));
    expect(seen).toMatchObject([
      { place: "line 1", row: { text: "first" } },
      { place: "line 2", field: "line", message: "isn't UTF-8" },
      { place: "line 3", row: { text: "third" } },
    ]);
    const memories = '{"memory":"caf\u00e9"}\n{"memory":"second"}';
    const file = write("memories.jsonl", memories, "latin1");
    expect(await all(readExport(file, "jsonl"))).toMatchObject([
      { place: "line 1", field: "line", message: "isn't UTF-8" },
      { place: "line 2" },
    ]);
  });

  it("S5-14 a document that isn't UTF-8 is refused whole", async () => {
    const file = write("chat.json", '[{"role":"user","content":"caf\u00e9"}]', "latin1");
    await expect(read(file)).rejects.toThrow("chat.json isn't UTF-8");
  });

  it("S5-14 lines are cut at line ends alone, and a byte order mark is no part of the first", async () => {
    const texts = ["caf\u00e9", "one\u2028line", "\u{1f980}"];
    const lines = texts.map((text) => JSON.stringify({ text })).join("\n");
    const seen = await read(write("marked.jsonl", `\uFEFF${lines}\n`));
    expect(seen).toMatchObject(texts.map((text) => ({ row: { text } })));
  });
});
