import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * All files below a path, sorted, with `/`. A path that is a file is itself the list.
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
export function filesBelow(root, path) {
  const at = join(root, path);
  if (!existsSync(at)) return [];
  if (!statSync(at).isDirectory()) return [path];
  return readdirSync(at, { recursive: true, encoding: "utf8" })
    .filter((file) => statSync(join(at, file)).isFile())
    .map((file) => `${path}/${file.split(sep).join("/")}`)
    .sort();
}

/**
 * Hash of files' names and bytes, and of further text.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {string} further
 */
export function fingerprint(root, files, further) {
  const hash = createHash("sha256").update(further);
  for (const file of files) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
