import { mkdir, open, readdir, writeFile } from "node:fs/promises";
import { MunimentError } from "../../domain/errors.js";
import type { MigrationConnection } from "../migration-connection.js";
import { writeLines } from "./backup-file.js";
import {
  BACKUP_FORMAT,
  type BackupFile,
  type BackupManifest,
  fileOf,
  type LedgerPosition,
  manifestOf,
} from "./manifest.js";
import { dumpRows, prepareRows } from "./rows.js";
import { readTables } from "./tables.js";

export interface BackupRequest {
  readonly dir: string;
  readonly at: Date;
  /** Version of muniment. */
  readonly muniment: string;
}

/**
 * Writes every table of the schema into an empty directory, all as of one moment, while others go on writing. What it
 * holds is sealed as in the database; the keys, and rows that were deleted, are not in it.
 */
export async function writeBackup(
  connection: MigrationConnection,
  { dir, at, muniment }: BackupRequest,
): Promise<BackupManifest> {
  await requireEmpty(dir);
  await connection.query("begin isolation level repeatable read, read only");
  try {
    await prepareRows(connection);
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      made_at: at.toISOString(),
      muniment,
      migrations: await rowsOf<BackupManifest["migrations"][number]>(
        connection,
        "select number, name, sha256 from muniment.migration order by number",
      ),
      files: await writeTables(connection, dir),
      ledger_heads: await readLedgerHeads(connection),
    };
    await writeFile(manifestOf(dir), `${JSON.stringify(manifest, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await syncDirectory(dir);
    return manifest;
  } finally {
    await connection.query("rollback").catch(() => undefined);
  }
}

async function writeTables(
  connection: MigrationConnection,
  dir: string,
): Promise<readonly BackupFile[]> {
  const files: BackupFile[] = [];
  for (const table of await readTables(connection)) {
    const path = fileOf(dir, table.name);
    files.push(await writeLines(path, table.name, dumpRows(connection, table)));
  }
  return files;
}

/** A database of before the ledger follows none yet. */
async function readLedgerHeads(
  connection: MigrationConnection,
): Promise<readonly LedgerPosition[]> {
  const [found] = await rowsOf<{ there: boolean }>(
    connection,
    "select pg_catalog.to_regclass('muniment.ledger_head') is not null as there",
  );
  if (found?.there !== true) return [];
  return rowsOf<LedgerPosition>(
    connection,
    "select tenant_id, seq::integer, mac from muniment.ledger_head order by tenant_id",
  );
}

async function rowsOf<R>(connection: MigrationConnection, text: string): Promise<readonly R[]> {
  return (await connection.query(text)).rows as unknown as readonly R[];
}

async function requireEmpty(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length === 0) return;
  throw new MunimentError("invalid_input", `\`${dir}\` isn't empty`, {
    nextStep: "name a new directory",
    field: "dir",
  });
}

async function syncDirectory(path: string): Promise<void> {
  // Windows can't open a directory; NTFS journals names by itself.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}
