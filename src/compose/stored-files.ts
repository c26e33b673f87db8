import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { codeOf } from "../domain/errors.js";
import type { StoredFiles, StoreFound } from "../services/stored-files.js";

/** Folders of a data directory that have ways of their own to be asked. */
const OWN_WAYS = { db: "files.database", custody: "files.custody" } as const;
const BESIDE = "files.other";

/** Whoever may ask whether a text stands somewhere can read what stands there, letter by letter: never a key that is in clear. */
const SECRET_FOLDERS = ["issuers"];
const SECRET_FILES = /(^|[\\/])\.|\.(jwk|jwks|key|pem|pfx|p12|crt|cer|der)(\.|$)/i;

/** Searches the files of a data directory, byte by byte. A key's file may lie there under any name, with older ones beside it. */
export function filesOf(dataDir: string, keyFiles: readonly string[] = []): StoredFiles {
  const keys = keyFiles.map((file) => relative(dataDir, resolve(file)));
  return {
    async search(texts, where) {
      const needles = texts.map((text) => Buffer.from(text, "utf8"));
      const places = where === "beside" ? [BESIDE] : [...Object.values(OWN_WAYS), BESIDE];
      const found = new Map<string, number>(places.map((place) => [place, 0]));
      for (const file of await filesBelow(dataDir)) {
        if (isSecret(file) || keys.some((key) => file.startsWith(key))) continue;
        const place = placeOf(file);
        const count = found.get(place);
        if (count === undefined) continue;
        if (await holdsAny(join(dataDir, file), needles)) found.set(place, count + 1);
      }
      return [...found].map(([name, count]): StoreFound => ({ name, found: count }));
    },
  };
}

function isSecret(file: string): boolean {
  const [top = ""] = file.split(sep);
  return SECRET_FOLDERS.includes(top) || SECRET_FILES.test(file);
}

function placeOf(file: string): string {
  const [top = ""] = file.split(sep);
  return Object.hasOwn(OWN_WAYS, top) ? OWN_WAYS[top as keyof typeof OWN_WAYS] : BESIDE;
}

async function filesBelow(dataDir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Reads on with the end of the chunk before, so that nothing is missed between two of them. */
async function holdsAny(file: string, needles: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(...needles.map((needle) => needle.length)) - 1;
  let tail = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file)) {
      const text = Buffer.concat([tail, chunk as Buffer]);
      if (needles.some((needle) => text.includes(needle))) return true;
      tail = overlap === 0 ? Buffer.alloc(0) : text.subarray(-overlap);
    }
    return false;
  } catch (error) {
    // A file that the database has dropped meanwhile holds nothing any more.
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
