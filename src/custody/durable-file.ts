import { open } from "node:fs/promises";
import { codeOf } from "../domain/errors.js";

/** Makes a rename or a new name in the directory survive a power loss. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows can't open a directory; NTFS journals names by itself.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** A new file (mode 0600) with this content, on the disk when it resolves. Replaces one of the same name. */
export async function writeDurably(
  path: string,
  content: string | Iterable<string>,
): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for (const part of typeof content === "string" ? [content] : content)
      await file.appendFile(part, "utf8");
    await file.sync();
  } finally {
    await file.close();
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
