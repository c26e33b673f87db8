import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { refusedWith } from "../../tests/support/refusal.js";
import { readOperatorFile } from "./operator-file.js";

const dir = mkdtempSync(join(tmpdir(), "muniment-file-"));
afterAll(() => rmSync(dir, { recursive: true }));

it.each([
  ["a.yaml", "a: 1\nb: [sentinel\nc: 2\n", "line 3, column 1"],
  ["b.json", '{\n  "a": "sentinel",\n  "b": [1}\n', "line 3, column"],
])(
  "a file that isn't JSON or YAML is told where, and not quoted: %s",
  async (name, text, where) => {
    const file = join(dir, name);
    writeFileSync(file, text);
    const { message } = await refusedWith(Promise.resolve().then(() => readOperatorFile(file)));
    expect(message).toContain(file);
    expect(message).toContain(where);
    expect(message).not.toContain("sentinel");
  },
);
