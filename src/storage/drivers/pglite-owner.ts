import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { MunimentError } from "../../domain/errors.js";
import type { MigrationConnection } from "../migration-connection.js";
import type { DirectoryLock } from "./directory-lock.js";
import { makeUnfinished } from "./pglite-database.js";

type Body<R> = (connection: MigrationConnection) => Promise<R>;

/** Runs `body` over the embedded database of a locked data directory, which must be there. */
export async function withPglite<R>({ dir }: DirectoryLock, body: Body<R>): Promise<R> {
  const path = join(dir, "db");
  if (!existsSync(path))
    throw new MunimentError("invalid_input", `there is no database in \`${dir}\``, {
      field: "dataDir",
    });
  return withDatabase(path, body);
}

/**
 * Runs `body` over a new database, which takes its place in the data directory when `body` has succeeded. Without a
 * template, which has all of today's migrations, it is made from nothing.
 */
export async function withNewPglite<R>(
  { dir }: DirectoryLock,
  templateFile: string | null,
  body: Body<R>,
): Promise<R> {
  if (existsSync(join(dir, "db")))
    throw new MunimentError("invalid_input", `\`${dir}\` has a database already`, {
      field: "dataDir",
      nextStep: "name another --data-dir, or move the folder `db` out of this one first",
    });
  const unfinished = await makeUnfinished(dir, templateFile);
  const result = await withDatabase(unfinished, body);
  await rename(unfinished, join(dir, "db"));
  return result;
}

async function withDatabase<R>(path: string, body: Body<R>): Promise<R> {
  const db = await PGlite.create({ dataDir: path });
  try {
    return await body({
      query: (text, values) =>
        db.query<Record<string, unknown>>(text, values === undefined ? [] : [...values]),
    });
  } finally {
    await db.close();
  }
}
