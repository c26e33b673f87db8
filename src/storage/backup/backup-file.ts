import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { BackupFile } from "./manifest.js";

/** Counts lines and hashes them as they pass. */
export class LineDigest {
  #rows = 0;
  readonly #hash = createHash("sha256");

  add(lines: readonly string[]): void {
    this.#rows += lines.length;
    for (const line of lines) this.#hash.update(line).update("\n");
  }

  of(table: string): BackupFile {
    return { table, rows: this.#rows, sha256: this.#hash.digest("hex") };
  }
}

/** A new file of these lines, on the disk when it resolves. */
export async function writeLines(
  path: string,
  table: string,
  batches: AsyncIterable<readonly string[]>,
): Promise<BackupFile> {
  const digest = new LineDigest();
  const file = await open(path, "wx", 0o600);
  try {
    for await (const lines of batches) {
      digest.add(lines);
      await file.appendFile(lines.map((line) => `${line}\n`).join(""), "utf8");
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.of(table);
}

export async function* readLines(path: string): AsyncGenerator<string> {
  const file = await open(path, "r");
  try {
    for await (const line of file.readLines({ encoding: "utf8" })) yield line;
  } finally {
    await file.close();
  }
}
