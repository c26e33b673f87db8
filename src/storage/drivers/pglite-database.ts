import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { migrate } from "../migrate.js";
import { unpackTar } from "./unpack-tar.js";

/** Where the build puts the packed template. */
export const TEMPLATE_FILE = fileURLToPath(new URL("../pglite-template.tar.gz", import.meta.url));

const UNFINISHED = "db.unfinished-";

/**
 * Makes a database in `dir` under a temporary name, from the template where there is one, and answers its path. What a
 * crash left of an earlier one is removed.
 */
export async function makeUnfinished(dir: string, templateFile: string | null): Promise<string> {
  for (const name of await readdir(dir)) {
    if (name.startsWith(UNFINISHED)) await rm(join(dir, name), { recursive: true, force: true });
  }
  const unfinished = join(dir, `${UNFINISHED}${process.pid}`);
  if (templateFile !== null && existsSync(templateFile))
    await unpackTar(await readFile(templateFile), unfinished);
  else await PGlite.create({ dataDir: unfinished }).then((db) => db.close());
  return unfinished;
}

/** Opens the PGlite in `dir`/db, or one in memory. The caller holds the directory's lock. */
export async function openDatabase(dir: string | null, templateFile: string): Promise<PGlite> {
  if (dir === null) {
    const isPacked = existsSync(templateFile);
    return PGlite.create(isPacked ? { loadDataDir: new Blob([await readFile(templateFile)]) } : {});
  }
  const path = join(dir, "db");
  // Half of a database never stands under its own name.
  if (!existsSync(path)) await rename(await makeUnfinished(dir, templateFile), path);
  return PGlite.create({ dataDir: path });
}

/**
 * Packs initdb and the migrations into a file from which new databases start: run once, by the build. It holds no value
 * of a deployment.
 */
export async function buildTemplate(file: string): Promise<void> {
  const db = await PGlite.create();
  try {
    await migrate(
      {
        query: (text, values) =>
          db.query<Record<string, unknown>>(text, values === undefined ? [] : [...values]),
      },
      { now: () => new Date() },
    );
    // What migrations left in the log needs no replay in each new database.
    await db.query("checkpoint");
    const packed = await db.dumpDataDir("gzip");
    await mkdir(dirname(file), { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    await writeFile(unfinished, Buffer.from(await packed.arrayBuffer()));
    await rename(unfinished, file);
  } finally {
    await db.close();
  }
}
