import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, MunimentError } from "../../domain/errors.js";

/**
 * Makes a data directory with the parts of its path that are missing, one by one: in a special file system such as /proc the
 * recursive way of Node never ends. Throws `invalid_input` where that place can't be a directory.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  let standing = resolve(path);
  for (; !isThere(standing); standing = dirname(standing)) missing.unshift(standing);
  if (!statSync(standing).isDirectory()) throw unusable(path, `${standing} isn't a directory`);
  for (const part of missing) makePart(part, path);
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    // A part of the path is a file: what stands there is found by the next look.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return false;
    throw unusable(path, "it can't be looked at", error);
  }
}

function makePart(part: string, path: string): void {
  try {
    mkdirSync(part, { mode: 0o700 });
  } catch (error) {
    // Another process may make the same one.
    if (codeOf(error) === "EEXIST") return;
    throw unusable(path, `${dirname(part)} takes no directory`, error);
  }
}

function unusable(path: string, why: string, cause?: unknown): MunimentError {
  return new MunimentError("invalid_input", `no data directory can be at ${path}: ${why}`, {
    field: "dataDir",
    nextStep: "check --data-dir (or MUNIMENT_DATA_DIR)",
    cause,
  });
}
