import type { Clock } from "../../domain/clock.js";
import { MunimentError } from "../../domain/errors.js";
import { type Migration, migrate, readMigrations } from "../migrate.js";
import type { MigrationConnection } from "../migration-connection.js";
import { LineDigest, readLines } from "./backup-file.js";
import {
  type BackupFile,
  type BackupManifest,
  fileOf,
  readManifest,
  unusable,
} from "./manifest.js";
import { dumpRows, loadRows, prepareRows } from "./rows.js";
import { type BackupTable, readTables } from "./tables.js";

/** Reads a backup through, before anything is made of it: each file is there, and as it was written. */
export async function verifyBackup(dir: string): Promise<BackupManifest> {
  const manifest = await readManifest(dir);
  stepsTo(dir, manifest);
  for (const file of manifest.files) {
    const digest = new LineDigest();
    try {
      for await (const line of readLines(fileOf(dir, file.table))) digest.add([line]);
    } catch (cause) {
      throw new MunimentError("invalid_input", `the file of ${file.table} can't be read`, {
        cause,
      });
    }
    requireSame(dir, digest.of(file.table), file);
  }
  return manifest;
}

/**
 * Makes the schema as it was, loads every row, and reads them back to compare; then brings the schema forward. The
 * database is new: it holds nothing but what some of these migrations made. A failure leaves no row of the backup. Its tables are
 * analysed.
 */
export async function loadBackup(
  connection: MigrationConnection,
  dir: string,
  manifest: BackupManifest,
  clock: Clock,
): Promise<void> {
  await migrate(connection, clock, stepsTo(dir, manifest));
  await connection.query("begin");
  try {
    await prepareRows(connection);
    const tables = await readTables(connection);
    requireTables(dir, manifest, tables);
    // A migration may have put rows of its own; the backup has them as they were.
    for (const { name } of tables.toReversed())
      await connection.query(`delete from muniment.${name}`);
    for (const table of tables)
      await loadRows(connection, table, readLines(fileOf(dir, table.name)));
    await compareRows(connection, dir, manifest, tables);
    await connection.query("commit");
  } catch (error) {
    await connection.query("rollback").catch(() => undefined);
    throw error;
  }
  await migrate(connection, clock);
  // The first start does erasures again before anything has looked at the tables: a plan without statistics takes too long.
  for (const { name } of await readTables(connection))
    await connection.query(`analyze muniment.${name}`);
}

async function compareRows(
  connection: MigrationConnection,
  dir: string,
  { files }: BackupManifest,
  tables: readonly BackupTable[],
): Promise<void> {
  for (const table of tables) {
    const digest = new LineDigest();
    for await (const lines of dumpRows(connection, table)) digest.add(lines);
    requireSame(
      dir,
      digest.of(table.name),
      files.find((file) => file.table === table.name),
    );
  }
}

function requireSame(dir: string, found: BackupFile, written: BackupFile | undefined): void {
  if (found.rows === written?.rows && found.sha256 === written.sha256) return;
  throw unusable(dir, `the rows of ${found.table} aren't those that were written`);
}

/** Whether today's migrations go beyond the backup's. */
export function isOlder({ migrations }: BackupManifest): boolean {
  return migrations.length < readMigrations().length;
}

/** The migrations that lead to the backup's schema. */
function stepsTo(dir: string, { migrations }: BackupManifest): readonly Migration[] {
  const own = readMigrations();
  if (migrations.length > own.length)
    throw unusable(dir, "it was made by a newer version of muniment");
  const steps = own.slice(0, migrations.length);
  const isSame = steps.every(({ sha256 }, index) => sha256 === migrations[index]?.sha256);
  if (!isSame) throw unusable(dir, "its migrations aren't those of this version");
  return steps;
}

function requireTables(
  dir: string,
  { files }: BackupManifest,
  tables: readonly BackupTable[],
): void {
  const written = new Set(files.map(({ table }) => table));
  if (tables.length === written.size && tables.every(({ name }) => written.has(name))) return;
  throw unusable(dir, "its tables aren't those of its migrations");
}
