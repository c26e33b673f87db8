import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

const BLOCK = 512;
const FOLDER = "5";

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.toString("utf8", start, start + length);
  const end = field.indexOf("\0");
  return end < 0 ? field : field.slice(0, end);
}

/** Path below the target folder. Our own file, and still nothing in it may lead out. */
function safePath(header: Buffer): string {
  const prefix = textAt(header, 345, 155);
  const parts = `${prefix === "" ? "" : `${prefix}/`}${textAt(header, 0, 100)}`
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Error("the packed template has a path that leads out of it");
  return join(...parts);
}

/**
 * Unpacks a gzipped tar of files and folders, readable by the owner alone. Much faster than PGlite's own loading, which
 * goes through its file system byte by byte.
 */
export async function unpackTar(packed: Buffer, target: string): Promise<void> {
  const tar = gunzipSync(packed);
  const folders = new Set<string>();
  const makeFolder = async (path: string): Promise<void> => {
    if (!folders.has(path)) await mkdir(path, { recursive: true, mode: 0o700 });
    folders.add(path);
  };
  await makeFolder(target);
  for (let offset = 0; offset + BLOCK <= tar.length; ) {
    const header = tar.subarray(offset, offset + BLOCK);
    offset += BLOCK;
    if (header[0] === 0) continue;
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0;
    const path = join(target, safePath(header));
    if (textAt(header, 156, 1) === FOLDER) {
      await makeFolder(path);
    } else {
      await makeFolder(dirname(path));
      await writeFile(path, tar.subarray(offset, offset + size), { mode: 0o600 });
    }
    offset += Math.ceil(size / BLOCK) * BLOCK;
  }
}
