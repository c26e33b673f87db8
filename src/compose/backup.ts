import { readSettings, type Settings, type SettingsInput } from "../config/settings.js";
import { isOlder, loadBackup, verifyBackup } from "../storage/backup/load-backup.js";
import type { BackupManifest } from "../storage/backup/manifest.js";
import { writeBackup } from "../storage/backup/write-backup.js";
import { type DirectoryLock, lockDirectory } from "../storage/drivers/directory-lock.js";
import { TEMPLATE_FILE } from "../storage/drivers/pglite-database.js";
import { withNewPglite, withPglite } from "../storage/drivers/pglite-owner.js";
import { withNewPostgres, withPostgresOwner } from "../storage/drivers/postgres-owner.js";
import type { MigrationConnection } from "../storage/migration-connection.js";
import { hasDatabase, nothingAt } from "./nothing-at.js";
import { packageVersion } from "./package-version.js";
import { ownerPlace, reach, type ServerPlace } from "./server-place.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

/** What a backup holds, in numbers. */
export interface BackupReport {
  readonly dir: string;
  readonly made_at: string;
  readonly tables: number;
  readonly rows: number;
}

type Body<R> = (connection: MigrationConnection) => Promise<R>;

/** Writes the database of the settings into a new directory; its keys are custody's. */
export async function backupDatabase(given: SettingsInput, dir: string): Promise<BackupReport> {
  const settings = readSettings(given, process.env);
  const write: Body<BackupManifest> = (connection) =>
    writeBackup(connection, { dir, at: SYSTEM_CLOCK.now(), muniment: packageVersion() });
  const owner = ownerOf(settings);
  if (owner === null && !hasDatabase(settings.dataDir)) throw nothingAt(settings.dataDir);
  const manifest =
    owner === null
      ? await locked(settings, (lock) => withPglite(lock, write))
      : await reach(owner, () => withPostgresOwner(owner.url, "backup", write));
  return reportOf(dir, manifest);
}

/** Makes a database of the settings from a backup. What was erased since is erased again by the next start. */
export async function restoreDatabase(
  given: SettingsInput,
  dir: string,
  templateFile = TEMPLATE_FILE,
): Promise<BackupReport> {
  const settings = readSettings(given, process.env);
  const manifest = await verifyBackup(dir);
  const load: Body<void> = (connection) => loadBackup(connection, dir, manifest, SYSTEM_CLOCK);
  const owner = ownerOf(settings);
  if (owner !== null) await reach(owner, () => withNewPostgres(owner.url, "restore", load));
  else {
    const template = isOlder(manifest) ? null : templateFile;
    await locked(settings, (lock) => withNewPglite(lock, template, load));
  }
  return reportOf(dir, manifest);
}

function reportOf(dir: string, { made_at, files }: BackupManifest): BackupReport {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  return { dir, made_at, tables: files.length, rows };
}

function ownerOf({ databaseUrl, migrateUrl }: Settings): ServerPlace | null {
  const url = migrateUrl ?? databaseUrl;
  return url === undefined ? null : ownerPlace(migrateUrl, url);
}

async function locked<R>(
  { dataDir }: Settings,
  body: (lock: DirectoryLock) => Promise<R>,
): Promise<R> {
  const lock = await lockDirectory(dataDir);
  try {
    return await body(lock);
  } finally {
    await lock.release();
  }
}
