import { readFile, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { MunimentError } from "../../domain/errors.js";
import { isMissing, syncDirectory, writeDurably } from "../durable-file.js";

/** Null for a file that is missing or empty. */
export async function readLogFile<L>(
  path: string,
  parse: (bytes: Buffer, path: string) => L | null,
): Promise<L | null> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    if (isMissing(cause)) return null;
    throw new MunimentError("unavailable", `the custody's file \`${path}\` can't be read`, {
      cause,
    });
  });
  return bytes === null ? null : parse(bytes, path);
}

/** Replaces the log at once; its old bytes are no longer in any file. */
export async function replaceLog(path: string, lines: Iterable<string>): Promise<void> {
  const next = `${path}.next`;
  await removeFile(next);
  await writeDurably(next, lines);
  await rename(next, path);
  await syncDirectory(dirname(path));
}

export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}
